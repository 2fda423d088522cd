"""Every protocol keeps its promises: calls, who has read whom, draws, order."""

import asyncio
from itertools import count

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from moot.core.calls import Reply
from moot.core.events import Turn
from moot.core.ports import Limits
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.models.simulated import Simulated
from moot.studies.stand_in import MemoryLedger
from support.debates import hold, hold_all, kinds_for, says, timeless
from support.promises.table import PROMISES, every_protocol, every_variant

one_store = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=5)

ORDERS = count()
"""Of the scripts of agents in some order, so that none is given what another was paid for."""


def test_every_protocol_of_moot_has_made_its_promises():
    shipped = {each.name for each in registry if each.algorithm.__module__.startswith("moot.")}
    assert shipped == {label for label in PROMISES if ":" not in label}


@every_variant
async def test_each_turn_of_scripted_replies_reads_what_it_is_shown(name, store):
    promise = PROMISES[name]
    transcript = await hold(name, promise.replies, store, **promise.settings)
    assert {turn.id: set(turn.reads) for turn in transcript.turns} == promise.reads
    assert all(len(turn.reads) == len(set(turn.reads)) for turn in transcript.turns)


@every_variant
@one_store
@given(data=st.data())
async def test_the_calls_are_as_many_as_the_formula_says(name, store, data):
    promise, protocol = PROMISES[name], registry.get(name.partition(":")[0])
    chosen = {each: data.draw(st.integers(*bounds)) for each, bounds in promise.grid.items()}
    ends = data.draw(st.integers(1, chosen.get(promise.ends, 1) + 1))
    model = Scripted(lambda call: promise.speaks(call, ends), name=f"ends-{ends}")
    transcript = await hold(name, model, store, **chosen)
    assert transcript.failed is None
    if ends == 1:
        assert transcript.verdict.answer == promise.decides
    assert len(transcript.turns) == promise.calls(chosen, ends)
    settings = protocol.check({**promise.fixed, **chosen})
    fewest, most = promise.calls(chosen, 1), promise.calls(chosen, 10**9)
    if promise.exact:
        assert protocol.count(settings) == (fewest, most)
    else:
        least, greatest = protocol.count(settings)
        assert least <= fewest <= most <= greatest


@pytest.mark.parametrize("name", [name for name in PROMISES if PROMISES[name].order_blind])
@one_store
@given(data=st.data())
async def test_agents_may_change_places_where_order_means_nothing(name, store, data):
    promise = PROMISES[name]
    answers = st.lists(st.sampled_from(["3", "4", "1/2", "0.5", "none"]), min_size=3, max_size=3)
    scripts = data.draw(st.lists(answers, min_size=3, max_size=7))
    moved = data.draw(st.permutations(scripts))
    size = "agents" if "agents" in promise.grid else "samples"
    verdicts = []
    for order in (scripts, moved):

        def script(call, order=order):
            if call.scene.role == "summariser":
                return "They have spoken."
            return f"Final answer: {order[call.draw.seat][call.scene.round - 1]}"

        speaker = Scripted(script, name=f"order-{next(ORDERS)}")
        transcript = await hold(name, speaker, store, **{size: len(scripts)})
        verdicts.append(transcript.verdict)
    votes = sorted(verdicts[0].votes.values())
    assume(len(votes) == 1 or (votes and votes[-1] > votes[-2]))
    values = {"1/2": "0.5"}
    first, second = (values.get(each.answer, each.answer) for each in verdicts)
    assert first == second


@every_variant
async def test_turns_are_numbered_as_they_were_asked_for_and_running_again_is_resuming(name, store):
    async def script(call):
        await asyncio.sleep(0.004 / (1 + call.draw.seat))  # the last to be asked answers first
        return says(call, ends=3)

    held = await hold(name, script, store)
    first = [turn.seat for turn in held.turns if turn.round == 1 and turn.votes]
    assert [turn.id for turn in held.turns] == list(range(1, len(held.turns) + 1))
    assert first == sorted(first)
    again = await hold(name, [], store)  # a script without replies: nothing is asked
    assert timeless(held) == timeless(again)
    assert all(turn.replayed for turn in again.turns)


@every_variant
@pytest.mark.parametrize("copies", [0, pytest.param(2, marks=pytest.mark.soak)])
async def test_concurrency_changes_nothing(name, copies):
    """On a question of two kinds; in a soak on several of each, with simulated agents, too."""
    questions = [
        msgspec.structs.replace(each, id=f"{each.id}-{copy}", text=f"{copy}: {each.text}")
        for each in (kinds_for(name) if copies else kinds_for(name)[:2])
        for copy in range(copies or 1)
    ]
    for make in (_moody, _people)[: copies or 1]:
        held = [await hold_all(name, make(n), MemoryLedger(), questions) for n in (1, 256)]
        assert [*map(timeless, held[0])] == [*map(timeless, held[1])]
        assert not any(transcript.failed for transcript in held[0])


def _moody(concurrency):
    """Answers that differ by agent, round and question, after times that differ too."""

    async def script(call):
        scene = call.scene
        mood = sum(f"{scene.question.id}{scene.agent}{scene.round}".encode())
        await asyncio.sleep(mood % 7 / 5000 if concurrency > 1 else 0)
        letters = {"choice": "AB", "boolean": ["true", "false"], "square": ["e4", "d4"]}
        choice = letters.get(scene.question.kind, "48")
        return says(call, answer=choice[mood % 2], ends=1 + mood % 3)

    return Scripted(script, limits=Limits(concurrency=concurrency))


def _people(_):
    return Simulated(accuracy=0.5, unparseable=0.1, conformity=0.2)


@every_protocol
async def test_what_a_reply_took_is_in_its_turn(name, store):
    counts = {"prompt_tokens": 7, "completion_tokens": 3, "cached_tokens": 2}
    said = Reply(text="Final answer: 4", cost=0.5, **counts)
    transcript = await hold(name, lambda _: said, store)
    for turn in transcript.turns:
        assert isinstance(turn, Turn)
        assert (turn.prompt_tokens, turn.completion_tokens, turn.cached_tokens) == (7, 3, 2)
        assert (turn.cost, turn.text) == (0.5, said.text)
