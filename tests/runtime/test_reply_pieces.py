"""Replies under way are told to those who watch, and the call path stays as it is."""

import msgspec

import moot
from moot.core.calls import Reply, Scene
from moot.core.errors import TransientError
from moot.core.questions import Question
from moot.runtime.path import CallPath
from support.call_path import QUICK, a_call, ask, found

SCENE = Scene(
    question=Question(id="q", kind="text", text="Why?"),
    agent="mind-2",
    role="mind",
    step="answer",
    round=3,
    turn=7,
)
CALL = msgspec.structs.replace(a_call(), scene=SCENE)


async def watched(store, script, **given):
    """What is told of a call, the reply, and the path."""
    path, pieces = CallPath(store, retry=QUICK), []
    path.listen = pieces.append
    model = moot.Scripted(script, **given)
    reply = await ask(path, model, CALL)
    return [(each.kind, each.text) for each in pieces], reply, pieces


async def test_a_failed_attempt_is_told_as_restarted(store):
    fates = [TransientError("busy"), TransientError("busy"), "Four."]
    told, reply, _ = await watched(store, lambda _: fates.pop(0))
    assert told == [("begun", ""), ("restarted", ""), ("restarted", ""), ("text", "Four.")]
    assert reply.retries == 2


async def test_a_model_that_cannot_stream_is_told_as_asked(store):
    class Whole:
        """A model that has replies alone."""

        simulated, name, endpoint = True, "whole/x", "whole/x"
        limits = moot.Limits()

        async def reply(self, call):  # noqa: ARG002 -- as every model
            return Reply(text="Four.", cost=0.0)

        def cost(self, reply):
            return reply.cost

        async def close(self):
            """Nothing is open."""

    path, pieces = CallPath(store), []
    path.listen = pieces.append
    assert (await ask(path, Whole(), CALL)).text == "Four."
    assert [each.kind for each in pieces] == ["begun"]


async def test_a_reply_is_told_word_by_word_within_the_latency_and_recorded_whole(store):
    path, pieces, flying = CallPath(store), [], []

    def listen(piece):
        pieces.append(piece)
        flying.append(path.traffic.in_flight)

    path.listen = listen
    path.branch(store).listen = None  # a branch has a listener of its own
    said = Reply(text="It is four.", thought="Two and two.")
    reply = await ask(path, moot.Scripted(lambda _: said, latency=0.03), CALL)
    told = [(each.kind, each.text) for each in pieces]
    thought = [("thought", each) for each in ("Two ", "and ", "two.")]
    assert told == [("begun", ""), *thought, ("text", "It "), ("text", "is "), ("text", "four.")]
    assert flying == [1] * 7  # all of them before the call is over
    assert reply.text == (await found(store, CALL)).text == "It is four."
    where = {(each.turn, each.agent, each.role, each.round) for each in pieces}
    assert where == {(7, "mind-2", "mind", 3)}
    again = await ask(path, moot.Scripted(lambda _: "It is five."), CALL)
    await ask(path, moot.Scripted(lambda _: "Four."), a_call())  # outside of a debate
    assert (again.text, len(pieces)) == ("It is four.", 7)
