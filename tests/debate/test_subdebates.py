"""Any protocol runs within another, on seats and turns of its own, in the same transcript."""

from typing import Annotated

import pytest
from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.debate_settings import hash_packs
from moot.debate.gather_all import gather_all
from moot.debate.protocol import protocol, registry
from moot.debate.recorded import RecordedVoters, decide
from moot.debate.stops import accept_agreement
from moot.debate.verdicts import verdict_from
from moot.metrics.debaters import find_first_debaters
from moot.metrics.network_accuracy import measure_nodes
from moot.models.scripted import Scripted
from support.debates import SUM, hold, says

VOTE = "self-consistency"
Probes = Annotated[int, Meta(ge=1, le=9)]


@pytest.fixture(autouse=True)
def own_names(monkeypatch):
    """Protocols that a test registers are gone after it."""
    monkeypatch.setattr(registry, "_found", {each: registry.get(each) for each in registry.names()})


def own(calls, runs, **more):
    """A protocol of the test's, which runs another."""
    return protocol(paper="a test", calls=calls, runs=(runs,), **more)


@pytest.fixture
def probe():
    """Two agents answer; where they differ, a society of minds debates, and one more ends it."""

    @own("probes + 4 + 1", "society-of-minds", fewest="probes", name="probe-first")
    async def probe_first(debate: Debate, question: Question, *, probes: Probes = 2) -> Verdict:
        """Ask a few, and debate where they differ."""
        agents = debate.seat("prober", probes)
        views = await debate.everyone(agents, "answer")
        if accept_agreement()(views, question):
            return verdict_from(views[0], by="gate")
        inner = await debate.run("society-of-minds", agents=2, rounds=2, given=views)
        [judge] = debate.seat("closer", debater=False)
        return verdict_from(await debate.ask(judge, "cot", reads=(inner.view,)), by="closer")

    return "probe-first"


async def test_a_sub_debate_has_its_own_place_in_the_transcript(probe, store):
    replies = [f"Final answer: {n}" for n in (4, 5, 6, 6, 6, 7, 6)]
    accepted = await hold(probe, Scripted(["Final answer: 4"] * 2, name="agree"), store)
    assert (accepted.verdict.by, len(accepted.turns), accepted.nodes) == ("gate", 2, ())
    held = await hold(probe, replies, store)
    assert held.failed is None
    inner = "society-of-minds"
    seats = {"prober-1": 0, "prober-2": 1, f"{inner}/mind-1": 2, f"{inner}/mind-2": 3}
    assert {seat.agent: seat.number for seat in held.seats} == {**seats, "closer": 1002}
    assert [turn.id for turn in held.turns] == [1, 2, 3, 4, 5, 6, 7]
    assert [turn.node for turn in held.turns] == [""] * 2 + [inner] * 4 + [""]
    reads = [turn.reads for turn in held.turns][2:]
    assert reads == [(1, 2), (1, 2), (1, 2, 3, 4), (1, 2, 4, 3), (5,)]
    [node] = held.nodes
    assert (node.node, node.protocol, node.verdict.answer) == (inner, inner, "6")
    assert node.reads == ("prober-1", "prober-2")
    assert held.verdict.answer == "6"


async def test_the_first_sub_debate_shares_its_draws_with_the_same_protocol_alone(store):
    @own("2", "self-consistency", name="only-inner")
    async def only_inner(debate: Debate, question: Question) -> Verdict:
        """Run two samples, and nothing else."""
        inner = await debate.run("self-consistency", question, samples=2, decision="unanimity")
        assert inner.answer == inner.view.answer == inner.verdict.answer
        return inner.verdict

    inner = await hold("only-inner", says, store)
    alone = await hold("self-consistency", says, store, samples=2)
    assert [turn.call for turn in inner.turns] == [turn.call for turn in alone.turns]
    assert all(turn.replayed for turn in alone.turns)
    assert (inner.verdict.answer, inner.verdict.by) == ("4", "unanimity")


async def test_sub_debates_at_the_same_time_do_not_share_seats_or_turns(store):
    @own("6", "self-consistency", name="two-inner")
    async def two_inner(debate: Debate, question: Question) -> Verdict:
        """Run two at once."""
        runs = [debate.run("self-consistency", samples=3) for _ in range(2)]
        first, second = await gather_all(runs)
        assert (first.name, second.name) == ("self-consistency", "self-consistency-2")
        return second.verdict

    held = await hold("two-inner", says, store)
    assert [seat.number for seat in held.seats] == [0, 1, 2, 1000, 1001, 1002]
    assert [turn.id for turn in held.turns] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("run", "kind", "error"),
    [
        ({"protocol": "medprompt"}, InputError, "its protocol does not declare it"),
        ({"protocol": "sociaty"}, UnknownName, "unknown protocol 'sociaty'"),
        ({"protocol": "single", "rounds": 2}, InputError, "sub-debate single: unknown setting"),
    ],
)
async def test_a_mistake_ends_the_run_and_names_the_sub_debate(run, kind, error, store):
    @own("1", "single", name="mistaken")
    async def mistaken(debate: Debate, question: Question) -> Verdict:
        """Run what cannot be run."""
        return (await debate.run(**run)).verdict

    with pytest.raises(kind, match=error):
        await hold("mistaken", says, store)


async def test_a_sub_debate_keeps_to_the_seats_and_turns_set_aside(store):
    @own("3", "self-consistency", name="crowded")
    async def crowded(debate: Debate, question: Question) -> Verdict:
        """Run three samples on two seats."""
        return (await debate.run("self-consistency", samples=3, seats=2)).verdict

    held = await hold("crowded", says, store)
    assert held.failed.reason == f"sub-debate {VOTE}: more than 2 seats; run it with seats=…"


def test_prompts_of_sub_debates_are_part_of_a_run_s_key(probe, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("['society-of-minds'.step.revise]\ntext = 'Again. {{ form }}'\n")
    chosen = registry.get(probe)
    settings = chosen.read(chosen.check({}))
    ours, theirs = (list(hash_packs(settings, overlay)) for overlay in (None, mine))
    assert (ours[0] == theirs[0], ours[1] == theirs[1]) == (True, False)


@pytest.fixture
def twice():
    """A protocol that runs self-consistency twice; the second verdict is its own."""

    @own("4", "self-consistency", name="twice")
    async def twice(debate: Debate, question: Question) -> Verdict:
        """Run two samples, and again."""
        for _ in range(2):
            inner = await debate.run("self-consistency", samples=2)
        return verdict_from(inner.view, by="twice")

    return "twice"


async def test_a_network_whose_nodes_have_sub_debates_is_decided_and_measured(twice, store):
    nodes = [{"name": "C1", "protocol": "twice"}, {"name": "C2", "protocol": "single"}]
    edges = [["C1", "judge"], ["C2", "judge"]]
    held = await hold("network", says, store, question=SUM, nodes=nodes, edges=edges)
    assert held.failed is None
    assert [view.turn.node for view in RecordedVoters(held).final] == [
        "C1/self-consistency-2",
        "C2",
    ]
    assert decide(held, "plurality").answer is not None
    assert len(find_first_debaters(held)) == 5
    assert measure_nodes(held).keys() == {"node:C1", "node:C2", "layer:1"}
