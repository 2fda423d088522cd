"""Running studies: whole, stopped, resumed, capped, failing, at any concurrency."""

import asyncio

import pytest

import moot
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.errors import InputError, RefusedError, RunBusy, TransientError
from moot.studies.lab import open_lab
from support.stored import read_debates, read_spent, read_states
from support.sums import sums

SIMULATED = "simulated/people?accuracy=0.6&unparseable=0.1"
ARMS = [
    {"protocol": "single"},
    {"protocol": "self-consistency", "samples": 4},
    {"protocol": "society-of-minds", "agents": 3, "rounds": 2},
    {"protocol": "multi-persona", "rounds": 2},
]


def study(model=SIMULATED, n=20, **more):
    return sums("trial", model, n, ARMS) | more


async def verdicts(store, run):
    """What every debate decided, and what was said in it."""
    found = {}
    for row in await read_debates(store, run):
        held = row.transcript
        turns = [(turn.agent, turn.text, turn.reads, turn.call) for turn in held.turns]
        found[row.arm, row.question, row.replicate] = (held.verdict, turns)
    return found


@pytest.mark.parametrize("model", [SIMULATED, "scripted?reply=Final answer: 7"])
async def test_the_same_verdicts_at_concurrency_1_and_256(tmp_path, model):
    one = await moot.run(study(f"{model}", at_once=1), store=tmp_path / "one")
    many = await moot.run(study(f"{model}", at_once=256), store=tmp_path / "many")
    assert one.run == many.run
    held = await verdicts(tmp_path / "one", one.run)
    assert len(held) == 80
    assert held == await verdicts(tmp_path / "many", many.run)


async def test_an_arm_is_simulated_when_any_that_speaks_in_it_is(tmp_path):
    class Real(moot.Scripted):
        simulated = False

    real = Real(lambda _call: "Final answer: 7", name="real")
    mixed = {"protocol": "society-of-minds", "agents": [{}, {"model": SIMULATED}]}
    asked = study(real.name, n=2, arms=[ARMS[0], mixed])
    outcome = await moot.run(asked, store=tmp_path, models=[real])
    single, society = outcome.results.arms
    assert (single.simulated, society.simulated) == (False, True)
    assert (single.difference, society.difference.pairs) == (None, 2)
    debates = await read_debates(tmp_path, outcome.run, arm="society-of-minds")
    assert {debate.transcript.opened.simulated for debate in debates} == {True}


NODES = [{"name": "A", "protocol": "single"}, {"name": "B", "protocol": "single"}]


async def test_a_network_tells_how_often_each_node_and_layer_was_right(tmp_path):
    edges = [["A", "B"], ["B", "judge"]]
    network = {"protocol": "network", "nodes": NODES, "edges": edges}
    hopfield = {"protocol": "hopfield", "nodes": NODES, "sweeps": 2}
    arms = [ARMS[0], network, hopfield]
    outcome = await moot.run(study(arms=arms, replicates=2, n=10), store=tmp_path)
    single, network, swept = outcome.results.arms
    assert (single.calls, single.replayed) == (20, 0)  # replicates draw anew
    assert (single.nodes, single.layers, single.sweeps) == ({}, {}, {})
    assert list(network.nodes) == list(swept.nodes) == ["A", "B"]
    assert (network.nodes["A"], network.nodes["B"]) == (network.layers[1], network.layers[2])
    rows = await read_debates(tmp_path, outcome.run, arm="network")
    for place, name in enumerate("AB"):
        held = [(row.transcript.nodes[place].verdict, row.transcript.question) for row in rows]
        right = sum(verdict.answer == question.answer for verdict, question in held)
        assert network.nodes[name].mean == right / 20
    assert network.nodes["A"].low < network.nodes["A"].mean < network.nodes["A"].high
    assert (list(swept.sweeps), swept.layers) == ([1, 2], {})
    assert swept.sweeps[1].n == 20 > swept.sweeps[2].n > 0
    assert "sweeps" not in swept.others  # no end of a run shows it
    async with open_lab(tmp_path, readonly=True) as lab:
        asked = RecordedRuns(lab, [outcome.run]).whole.arms[2]
    assert asked.others["sweeps"].mean == 1 + swept.sweeps[2].n / 20
    assert (asked.sweeps, asked.accuracy) == (swept.sweeps, swept.accuracy)


async def test_running_again_pays_for_nothing(tmp_path):
    calls = []
    model = moot.Scripted(lambda call: calls.append(call) or "Final answer: 7", name="counted")
    asked = study(model.name, arms=ARMS[:3], n=5)
    with pytest.raises(InputError, match="nothing was called"):
        await moot.run(asked, store=tmp_path, models=[model], confirm=lambda _estimate: False)
    assert not calls
    first = await moot.run(asked, store=tmp_path, models=[model])
    assert len(calls) == 5 * (4 + 3)  # four first answers shared by all, three revisions
    again = await moot.run(asked, store=tmp_path, models=[model])
    assert again.results == first.results
    again = await moot.run(asked, store=tmp_path, models=[model], replay=True)
    assert len(calls) == 5 * (4 + 3)
    assert again.results.arms[0].accuracy == first.results.arms[0].accuracy
    assert all(arm.replayed == arm.calls for arm in again.results.arms)


@pytest.mark.parametrize("cap", [{"calls": 17}, {"tokens": 2000}])
async def test_a_budget_stops_cleanly_and_more_of_it_goes_on(tmp_path, cap):
    free = await moot.run(study(), store=tmp_path / "free")
    stopped = await moot.run(study(budget=cap, at_once=8), store=tmp_path / "capped")
    assert "stopped at the cap" in stopped.stopped
    assert stopped.done < stopped.debates
    spent = await read_spent(tmp_path / "capped", stopped.run)
    assert spent.calls <= cap.get("calls", 1e9)
    assert spent.tokens <= cap.get("tokens", 1e9)
    again = await moot.run(study(budget=cap), store=tmp_path / "capped")
    assert again.stopped  # the cap is the run's, not the process's
    whole = await moot.run(study(), store=tmp_path / "capped")
    assert whole.run == stopped.run
    assert not whole.stopped
    assert [a.accuracy for a in whole.results.arms] == [a.accuracy for a in free.results.arms]


async def test_a_cap_on_money_holds_and_the_price_can_be_stated(tmp_path):
    price = {"input": 10.0, "output": 10.0}
    priced = study(prices={SIMULATED: price}, budget={"cost": 0.01})
    stopped = await moot.run(priced, store=tmp_path)
    assert "$0.01" in stopped.stopped
    assert 0 < (await read_spent(tmp_path, stopped.run)).cost <= 0.01
    lower = await moot.run(study(prices={SIMULATED: price}), store=tmp_path / "b", max_cost=0.001)
    assert "$0.001" in lower.stopped
    with pytest.raises(InputError, match="limit = 0: must be at least 1"):
        await moot.run(study(), store=tmp_path, limit=0)
    with pytest.raises(InputError, match=r"--max-cost = -1\.0: must be"):
        await moot.run(study(), store=tmp_path, max_cost=-1.0)


async def test_a_failing_question_stays_as_failed_and_running_again_retries_it(tmp_path):
    broken = True

    def script(call):
        if broken and "5+4" in call.messages[0].content:
            raise RefusedError("the model has no words for this")
        return "Final answer: 7"

    model = moot.Scripted(script, name="moody")
    first = await moot.run(study(model.name, n=10), store=tmp_path, models=[model])
    assert first.failed == len(ARMS)
    assert [arm.failed for arm in first.results.arms] == [1] * len(ARMS)
    assert [arm.n for arm in first.results.arms] == [10] * len(ARMS)
    broken = False
    again = await moot.run(study(model.name, n=10), store=tmp_path, models=[model])
    assert again.failed == 0


async def test_an_interrupted_run_goes_on(tmp_path):
    under_way = asyncio.Event()

    async def script(call):
        if call.scene.round == 2:
            under_way.set()
        await asyncio.sleep(0.01)
        return "Final answer: 7"

    model = moot.Scripted(script, name="slow")
    given = {"store": tmp_path, "models": [model]}
    running = asyncio.create_task(moot.run(study(model.name, at_once=2), **given))
    await under_way.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await read_states(tmp_path) == ["stopped"]
    whole = await moot.run(study(model.name), **given)
    assert (whole.done, whole.stopped) == (whole.debates, None)


async def test_retries_of_a_call_that_failed_for_good_are_counted(tmp_path):
    model = moot.Scripted(lambda _call: TransientError("busy", status=503), name="busy")
    busy = study(model.name, n=2, arms=ARMS[:1], retry={"first": 0.001, "attempts": 4})
    outcome = await moot.run(busy, store=tmp_path, models=[model])
    assert (outcome.failed, outcome.results.arms[0].retries) == (2, 6)


async def test_a_run_that_is_being_run_is_refused_or_waited_for(tmp_path, caplog):
    begun, calls = asyncio.Event(), 0

    async def script(_call):
        nonlocal calls
        calls += 1
        begun.set()
        await asyncio.sleep(0.02)
        return "Final answer: 7"

    model = moot.Scripted(script, name="slow")
    asked = study(model.name, n=3, at_once=1)
    first = asyncio.create_task(moot.run(asked, store=tmp_path, models=[model]))
    await begun.wait()
    with pytest.raises(RunBusy, match="is being run by process"):
        await moot.run(asked, store=tmp_path, models=[model])
    waiting = asyncio.create_task(moot.run(asked, store=tmp_path, models=[model], wait=True))
    one, two = await asyncio.gather(first, waiting)
    assert one.stopped is two.stopped is None
    assert one.done == two.done
    assert [each.message for each in caplog.records if "waiting for it" in each.message] != []
    async with open_lab(tmp_path, readonly=True) as lab:
        assert lab.store.sum_spent(lab.store.find_run(one.run).id).calls == calls
        assert lab.store.sessions.list_living() == []
