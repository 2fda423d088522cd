"""What goes when a prompt does not fit: the oldest rounds first, never the question."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moot.core.ports import Limits
from moot.debate.window import free_tokens
from moot.ledger.sqlite_store import Store
from moot.models.scripted import Scripted
from support.debates import LONG, QUESTION, disagreed, hold, marked, size

one_store = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6)


class Seen:
    """A script that keeps the calls and says, by turn, what was in front of the agent."""

    def __init__(self, says=marked):
        self.calls, self._says = [], says

    def __call__(self, call):
        self.calls.append(call)
        return self._says(call)

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
    seen = Seen(disagreed)
    async with Store.open(tmp_path / f"{name}-{context}") as store:
        held = await hold(
            name, seen, store, question=QUESTION, window=context, max_tokens=100, **LONG[name]
        )
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


@pytest.mark.parametrize("name", LONG)
async def test_the_newest_is_kept_longest(name, store):
    """Whatever an agent still reads is newer than anything it no longer reads."""
    given = {"question": QUESTION, **LONG[name]}
    whole = await hold(name, Scripted(disagreed, name="a"), store, **given)
    assert not any(turn.removed for turn in whole.turns)
    full = {turn.id: set(turn.reads) for turn in whole.turns}
    rounds = {turn.id: turn.round for turn in whole.turns}
    given["max_tokens"] = 100
    shortened = 0
    for context in range(500, 2500, 250):
        cut = await hold(name, Scripted(disagreed, name="a"), store, window=context, **given)
        for turn in cut.turns:
            gone = full[turn.id] - set(turn.reads)
            assert bool(turn.removed) >= bool(gone)
            shortened += bool(gone)
            if gone:
                oldest = min(rounds[one] for one in turn.reads)
                assert max(rounds[one] for one in gone) < oldest
            newest = max((rounds[one] for one in full[turn.id]), default=0)
            assert {one for one in full[turn.id] if rounds[one] == newest} <= set(turn.reads)
    assert shortened


async def test_what_was_left_out_is_counted(store):
    seen = Seen()
    given = {"agents": 2, "rounds": 5, "window": 480, "max_tokens": 100}
    held = await hold("society-of-minds", seen, store, question=QUESTION, **given)
    whole = await hold(
        "society-of-minds", Scripted(marked, name="w"), store, question=QUESTION, agents=2, rounds=5
    )
    for turn in held.turns:
        messages = len(seen.of(turn).messages)
        assert messages + turn.removed == 2 * turn.round - 1
    assert [turn.removed for turn in held.turns][-2:] == [6, 6]
    assert [turn.removed for turn in whole.turns] == [0] * 10
    assert [turn.reads for turn in held.turns][-2:] == [(7, 8), (8, 7)]


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
    assert "more than the 0 tokens that window = 300 leaves beside a reply of 300" in (
        other.failed.reason
    )


@given(st.integers(1, 100_000), st.none() | st.integers(1, 5000))
def test_there_is_room_for_the_reply(context, most):
    left = free_tokens(context, most)
    if most is None:
        assert context - left <= min(512, context // 4)
    else:
        assert left == context - most


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
