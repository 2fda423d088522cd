"""What goes when a prompt does not fit: the oldest rounds first, never the question."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moot.core.ports import Limits
from moot.debate.window import free_tokens
from moot.ledger.store import Store
from moot.models.scripted import Scripted
from support.debates import LONG, QUESTION, disagreed, hold, marked, size

one_store = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6)


class Seen:
    """A script that keeps the calls and says, by turn, what was in front of the agent."""

    def __init__(self):
        self.calls = []

    def __call__(self, call):
        self.calls.append(call)
        return disagreed(call)

    def of(self, turn):
        return next(call for call in self.calls if call.scene.turn == turn.id)

    def shown(self, turn, turns):
        """The turns whose words the agent really had in front of it."""
        text = "\n".join(message.content for message in self.of(turn).messages)
        return {one.id for one in turns if f"<{one.agent} in {one.round}, turn {one.id}>" in text}


@pytest.mark.parametrize("name", LONG)
@one_store
@given(context=st.integers(350, 2500))
async def test_what_is_read_is_what_is_shown_and_the_question_always_is(name, tmp_path, context):
    seen = Seen()
    more = {"question": QUESTION, "window": context, "max_tokens": 100, **LONG[name]}
    async with Store.open(tmp_path / f"{name}-{context}") as store:
        held = await hold(name, seen, store, **more)
    if held.failed:
        assert held.failed.kind == "ContextTooLong"
        assert f"window = {context}" in held.failed.reason
    for turn in held.turns:
        call = seen.of(turn)
        assert set(turn.reads) == seen.shown(turn, held.turns)
        assert len(turn.reads) == len(set(turn.reads)) == len(call.scene.heard)
        assert QUESTION.text in "".join(message.content for message in call.messages)
        assert size(call.messages) <= context - 100
        talk = [each.role for each in call.messages if each.role != "system"]
        assert talk == (["user", "assistant"] * len(talk))[: len(talk)]
        assert talk[-1] == "user"


async def test_nothing_is_paid_where_the_question_alone_does_not_fit(store):
    asked = []
    long = msgspec.structs.replace(QUESTION, text="What is the sum of 2 and 2? " * 60)
    held = await hold("single", asked.append, store, question=long, window=300, max_tokens=100)
    assert (held.failed.kind, held.turns, asked) == ("ContextTooLong", (), [])
    assert held.failed.reason == (
        "agent: with all but the question and the newest round left out, the prompt still needs "
        "more than the 200 tokens that window = 300 leaves beside a reply of 100"
    )
    other = await hold("single", marked, store, question=QUESTION, window=300, max_tokens=300)
    assert "than the 0 tokens that window = 300 leaves beside a reply of" in other.failed.reason


async def test_every_node_that_is_given_stays_however_long_it_debated(store):
    nodes = [
        {"name": "short", "protocol": "single"},
        {"name": "long", "protocol": "society-of-minds", "agents": 1, "rounds": 3},
    ]
    edges = [["short", "judge"], ["long", "judge"]]
    model = Scripted(marked, limits=Limits(context=300))
    held = await hold("network", model, store, question=QUESTION, nodes=nodes, edges=edges)
    judge = held.turns[-1]
    assert (judge.role, judge.removed, len(judge.reads)) == ("judge", 0, 2)


@given(st.integers(1, 100_000), st.none() | st.integers(1, 5000))
def test_there_is_room_for_the_reply(context, most):
    left = free_tokens(context, most)
    if most is None:
        assert context - left <= min(512, context // 4)
    else:
        assert left == context - most
