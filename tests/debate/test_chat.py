"""Open questions as in a chat: the style ``chat``, and the conversation before the question."""

import re

import msgspec
import pytest

from moot.core.calls import Message, Reply
from moot.core.questions import Question
from moot.core.stored import decode_transcript
from moot.debate.protocol import registry
from moot.debate.verdicts import UNLIKE
from moot.studies.question_plan import plan_question
from support.debates import hold, says

HISTORY = (
    Message("system", "You are a pirate."),
    Message("user", "Who are you?"),
    Message("assistant", "Arr, a pirate."),
    Message("system", "Be brief."),
)
OPEN = Question(id="o", kind="text", text="And your ship?", history=HISTORY)
TALK = list(HISTORY[1:3])


class Voices:
    """A script that keeps the calls; every agent says something of its own."""

    def __init__(self, reply="Ship {}."):
        self.calls, self._reply = [], reply

    def __call__(self, call):
        self.calls.append(call)
        return self._reply.replace("{}", call.scene.agent)


@pytest.mark.parametrize("name", ["society-of-minds", "self-consistency", "network"])
async def test_a_vote_among_unlike_replies_is_said_as_such(name, store):
    voices = Voices()
    held = await hold(name, voices, store, question=OPEN, style="chat")
    said = "".join(each.content for call in voices.calls for each in call.messages)
    assert "Final answer" not in said
    last = held.turns[-1].round
    assert [turn.answer for turn in held.turns] == [turn.text for turn in held.turns]
    if name != "network":
        first = next(turn for turn in held.turns if turn.round == last)
        assert (held.verdict.text, held.verdict.by) == (first.text, UNLIKE)


async def test_a_reply_that_was_cut_off_is_still_the_reply_and_like_ones_are_a_majority(store):
    cut = Reply(text="My ship is", finish="length")
    held = await hold("single", lambda _: cut, store, question=OPEN, style="chat")
    assert held.verdict.answer == "My ship is"
    again = decode_transcript(msgspec.json.encode(held), "it")
    assert again.question.earlier_messages == HISTORY
    same = await hold("self-consistency", lambda _: "So.", store, question=OPEN, style="chat")
    assert same.verdict.by == "majority"


TALKING = [
    each.name
    for each in registry
    # Essays are written on propositions, and some need a known right answer.
    if each.is_installed and not each.needs_answer and "essay" not in each.name
    if each.name not in {"americano", "debate-to-write"}
]


@pytest.mark.parametrize("name", TALKING)
async def test_no_prompt_of_any_protocol_loses_the_conversation(name, store):
    seen = []

    def script(call):
        seen.append(call)
        return says(call, answer="A barque.")

    held = await hold(name, script, store, question=OPEN, style="chat")
    assert held.failed is None, held.failed
    for call in seen:
        told = [each.content for each in call.messages if each.role == "system"]
        assert re.match(r"You are a pirate\.\n\nBe brief\.", told[0]), call.scene.step
        assert [each for each in call.messages if each in TALK] == TALK, call.scene.step


async def test_the_conversation_goes_first_where_the_window_is_small(store):
    roles = ("user", "assistant") * 6
    long = tuple(Message(role, f"{n // 2} {'word ' * 60}") for n, role in enumerate(roles))
    asked = msgspec.structs.replace(OPEN, history=long)
    voices = Voices()
    given = {"question": asked, "style": "chat", "window": 500, "max_tokens": 50}
    held = await hold("single", voices, store, **given)
    [call], [turn] = voices.calls, held.turns
    assert turn.removed == 12 - (len(call.messages) - 1) > 0
    assert call.messages[0].role == "user"
    assert call.messages[-1].content == "And your ship?"
    assert call.messages[:-1] == long[turn.removed :]


def test_another_conversation_is_another_question_and_a_secret_one_s_is_withheld():
    given = {"protocol": "single", "settings": {"model": "simulated/x"}}
    plain = plan_question("And your ship?", **given).question
    other = plan_question("And your ship?", history=HISTORY, **given).question
    assert plain.id != other.id
    assert "history" not in msgspec.to_builtins(plain)  # stored as before
    assert other.preceding.startswith("System: You are a pirate.\n\nUser: Who are you?")
    told = Message("user", "Where did you bury the treasure of the island?")
    secret = msgspec.structs.replace(OPEN, secret=True, history=(told,))
    assert {each.content for each in secret.redacted.earlier_messages} == {"(withheld)"}
    assert "treasure" not in secret.hide_quotation(f"no: {told.content}")
