"""Replies under way are told to those who watch, and the call path stays as it is."""

import msgspec
import pytest

import moot
from moot.core.calls import Reply, Scene
from moot.core.errors import RefusedError, TransientError
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


async def test_a_reply_is_told_word_by_word_and_recorded_whole(store):
    told, reply, pieces = await watched(store, lambda _: "It is four.")
    assert told == [("begun", ""), ("text", "It "), ("text", "is "), ("text", "four.")]
    assert reply.text == (await found(store, CALL)).text == "It is four."
    assert {(each.turn, each.agent, each.role, each.round) for each in pieces} == {
        (7, "mind-2", "mind", 3)
    }


async def test_words_come_within_the_latency(store):
    path, words = CallPath(store), []
    path.listen = lambda _: words.append(path.traffic.in_flight)
    await ask(path, moot.Scripted(lambda _: "a b c", latency=0.03), CALL)
    assert words == [1, 1, 1, 1]  # all of them before the call is over


async def test_a_reply_from_the_ledger_has_no_pieces(store):
    await watched(store, lambda _: "It is four.")
    told, reply, _ = await watched(store, lambda _: "It is five.")
    assert told == []
    assert (reply.text, reply.replayed) == ("It is four.", True)


async def test_a_failed_attempt_is_told_as_restarted(store):
    fates = [TransientError("busy"), TransientError("busy"), "Four."]
    told, reply, _ = await watched(store, lambda _: fates.pop(0))
    assert told == [("begun", ""), ("restarted", ""), ("restarted", ""), ("text", "Four.")]
    assert reply.retries == 2


async def test_a_call_that_fails_for_good_fails_as_ever(store):
    with pytest.raises(RefusedError, match="no"):
        await watched(store, lambda _: RefusedError("no"))


async def test_thought_is_told_apart(store):
    said = Reply(text="Four.", thought="Two and two.")
    told, _, _ = await watched(store, lambda _: said)
    assert next(each for each in told if each[0] == "thought") == ("thought", "Two ")
    assert told[-1] == ("text", "Four.")


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


async def test_a_call_outside_a_debate_is_not_told(store):
    path, pieces = CallPath(store), []
    path.listen = pieces.append
    await ask(path, moot.Scripted(lambda _: "Four."), a_call())
    assert pieces == []


async def test_a_branch_has_a_listener_of_its_own(store):
    path = CallPath(store)
    branch = path.branch(store)
    branch.listen = print
    assert path.listen is None
