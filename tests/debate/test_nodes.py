"""Networks: who reads what across nodes, what runs at once, and what each node came to."""

import asyncio
import re

import msgspec
import pytest

from moot.core.errors import InputError, RefusedError
from moot.core.ports import Limits
from moot.debate.conduct import conduct
from moot.debate.nodes import SEATS, packs
from moot.debate.protocol import registry
from moot.ledger.store import Store
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from stage import KINDS, SUM, hold, hold_all, says, timeless

NETWORK = registry.get("network")
PICK = KINDS[2]
SMALL = {"agents": 2, "rounds": 1}
PLAIN = sorted(
    each.name
    for each in registry
    if "nodes" not in each.own.__struct_fields__ and each.algorithm.__module__.startswith("moot.")
)


def chain(*nodes):
    """Nodes one after the other, up to the judge."""
    names = [node["name"] for node in nodes]
    edges = list(zip(names, [*names[1:], "judge"], strict=True))
    return {"nodes": [dict(node) for node in nodes], "edges": [list(edge) for edge in edges]}


def marked(call):
    return f"<{call.scene.agent} in {call.scene.round}>\nFinal answer: 4"


def marks(call):
    return set(re.findall(r"<(.*?) in \d>", "".join(each.content for each in call.messages)))


async def test_a_node_reads_what_those_before_it_came_to_and_nothing_else(store):
    calls = {}

    def script(call):
        calls[call.scene.agent] = call
        return marked(call)

    held = await hold("network", script, store, graph="cascade", **SMALL)
    before = {
        "C5": {"C1", "C2"},
        "C6": {"C2", "C3"},
        "C7": {"C3", "C4"},
        "C8": {"C5", "C6"},
        "C9": {"C6", "C7"},
    }
    turns = {turn.agent: turn for turn in held.turns}
    ids = {turn.id: turn.agent for turn in held.turns}
    assert len(turns) == 9 * 3 + 1
    for agent, turn in turns.items():
        node, _, name = agent.rpartition("/")
        read = {f"{one}/judge" for one in before.get(node, ())}
        if name != "member-1":
            read |= {f"{node}/member-1"}
        if name == "judge":
            read = {f"{node}/member-1", f"{node}/member-2"} | read
        if agent == "judge":
            read = {"C8/judge", "C9/judge"}
        assert {ids[one] for one in turn.reads} == read == marks(calls[agent])
        assert len(calls[agent].scene.heard) == len(turn.reads) == len(read)
    shown = calls["C5/member-1"].messages[-1].content
    assert shown.index("C1 came to this:\n<C1/judge in 1>") < shown.index("C2 came to this:")
    assert [each.reads for each in held.nodes] == [
        *[()] * 4,
        *[tuple(sorted(before[name])) for name in ("C5", "C6", "C7", "C8", "C9")],
    ]


async def test_the_judges_of_a_node_are_shown_its_inputs_once_each(store):
    calls = []
    await hold(
        "network", lambda call: calls.append(call) or marked(call), store, **SMALL, graph="cascade"
    )
    for call in calls:
        text = "".join(each.content for each in call.messages)
        assert len(marks(call)) == len(re.findall(r"<.*? in \d>", text))


async def test_nodes_that_are_ready_run_at_once(store):
    """Every call waits for as long as there is one that may come: what can be at once, is."""
    loop = asyncio.get_running_loop()
    spans = {}

    async def script(call):
        node = call.scene.agent.partition("/")[0]
        began = loop.time()
        await asyncio.sleep(0.05)
        first, _ = spans.get(node, (began, 0))
        spans[node] = (first, loop.time())
        return marked(call)

    await hold("network", script, store, graph="cascade", **SMALL)
    first, second, third = ("C1", "C2", "C3", "C4"), ("C5", "C6", "C7"), ("C8", "C9")
    for layer in (first, second, third):
        assert max(spans[node][0] for node in layer) < min(spans[node][1] for node in layer)
    assert spans["judge"][1] - spans["C1"][0] < 2 * 0.05 * 10  # ten calls are the longest chain


async def test_a_node_does_not_wait_for_those_it_does_not_read(store):
    order = []

    async def script(call):
        node = call.scene.agent.partition("/")[0]
        if node == "C1":
            await asyncio.sleep(0.3)
        order.append(node)
        return marked(call)

    await hold("network", script, store, graph="short-long", **SMALL)
    assert order[-4:] == ["C1", "C1", "C1", "judge"]


async def test_as_many_calls_are_in_flight_as_nodes_are_ready(store):
    flying, most = 0, {}

    async def script(call):
        nonlocal flying
        flying += 1
        node = call.scene.agent.partition("/")[0]
        most[node] = max(most.get(node, 0), flying)
        await asyncio.sleep(0.03)
        flying -= 1
        return marked(call)

    nodes = {"agents": 1, "rounds": 1}
    await hold("network", script, store, graph="feed-forward", **nodes)
    assert max(most[node] for node in ("C1", "C2", "C3")) == 3
    assert max(most[node] for node in ("C4", "C5", "C6")) == 3
    assert most["judge"] == 1


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("question", [SUM, PICK], ids=["number", "choice"])
async def test_any_protocol_can_be_a_node(name, question, store):
    answer = question.answer
    nodes = chain({"name": "C1", "protocol": name}, {"name": "C2", **SMALL})
    nodes |= {"agents": 3, "rounds": 2}
    settled = NETWORK.check(nodes)["nodes"][0]
    own = {key: settled[key] for key in registry.get(name).own.__struct_fields__}
    alone = await hold(name, lambda call: says(call, answer), store, question=question, **own)
    calls = []

    def script(call):
        calls.append(call)
        return says(call, answer)

    model = Scripted(script, name="net")
    held = await hold("network", model, store, question=question, **nodes)
    assert held.failed is None
    assert [(each.node, each.layer) for each in held.nodes] == [("C1", 1), ("C2", 2)]
    first, second = held.nodes
    assert (first.protocol, second.protocol) == (name, "community")
    wordless = [msgspec.structs.replace(each, text="") for each in (first.verdict, alone.verdict)]
    assert wordless[0] == wordless[1]
    of_first = [turn for turn in held.turns if turn.node == "C1"]
    assert [turn.agent for turn in of_first] == [f"C1/{turn.agent}" for turn in alone.turns]
    assert [turn.reads for turn in of_first] == [turn.reads for turn in alone.turns]
    carried = [turn for turn in held.turns if turn.agent == "C2/member-1"][0].reads
    assert carried == ((first.verdict.turn,) if first.verdict.turn else (of_first[-1].id,))
    ids = [turn.id for turn in held.turns]
    assert ids == sorted(set(ids))
    schemas = [call.sampling.schema for call in calls if call.scene.agent.startswith("C1/")]
    assert len(schemas) == len(of_first)


async def test_model_and_temperature_go_by_node_and_the_judges_apart(store):
    nodes = [
        {"name": "A", "temperature": 0.1, "agents": [{"role": "judge", "temperature": 0.9}]},
        {"name": "B", "model": "scripted/b"},
        {"name": "C", "agents": [{"model": "scripted/c"}, {"temperature": 0.6}]},
    ]
    given = chain(*nodes) | {
        "temperature": 0.3,
        "rounds": 1,
        "agents": [{"role": "judge", "model": "scripted/j", "temperature": 0}],
    }
    calls = await _asked(store, given)
    told = {
        agent: (call.model.removeprefix("scripted/"), call.sampling.temperature)
        for agent, call in calls.items()
    }
    assert told == {
        **{f"A/member-{number}": ("base", 0.1) for number in (1, 2, 3)},
        "A/judge": ("j", 0.9),
        **{f"B/member-{number}": ("b", 0.3) for number in (1, 2, 3)},
        "B/judge": ("j", 0.0),
        "C/member-1": ("c", 0.3),
        "C/member-2": ("base", 0.6),
        "C/judge": ("j", 0.0),
        "judge": ("j", 0.0),
    }


async def test_agents_of_a_network_sit_in_each_of_its_nodes(store):
    listed = [{"model": "scripted/a"}, {"model": "scripted/b"}]
    nodes = [{"name": "A"}, {"name": "B", "agents": 3}, {"name": "C", "protocol": "single"}]
    calls = await _asked(store, chain(*nodes) | {"agents": listed, "rounds": 1})
    models = {agent: call.model.removeprefix("scripted/") for agent, call in calls.items()}
    assert models == {
        "A/member-1": "a",
        "A/member-2": "b",
        "A/judge": "base",
        **{f"B/member-{number}": "base" for number in (1, 2, 3)},
        "B/judge": "base",
        "C/agent": "base",
        "judge": "base",
    }


async def _asked(store, given):
    """The last call of each agent."""
    calls, models = {}, {}

    def model(name):
        def script(call):
            calls[call.scene.agent] = call
            return marked(call)

        return models.setdefault(name, Scripted(script, name=name.removeprefix("scripted/")))

    chosen = NETWORK.check({"model": "scripted/base", **given})
    held = await conduct(
        NETWORK, SUM, settings=chosen, path=CallPath(store), model=model, pack=NETWORK.pack()
    )
    assert held.failed is None
    assert {turn.agent: turn.model for turn in held.turns} == {
        agent: call.model for agent, call in calls.items()
    }
    return calls


@pytest.mark.parametrize("graph", ["short-long", "feed-forward", "cascade"])
async def test_a_network_is_the_same_at_any_concurrency(graph, tmp_path):
    questions = [
        msgspec.structs.replace(each, id=f"{each.id}-{copy}", text=f"{copy}: {each.text}")
        for each in KINDS
        for copy in range(3)
    ]
    held = []
    for concurrency in (1, 256):

        async def script(call, concurrency=concurrency):
            mood = sum(f"{call.scene.question.id}{call.scene.agent}{call.scene.round}".encode())
            await asyncio.sleep(mood % 7 / 3000 if concurrency > 1 else 0)
            return says(
                call,
                answer={"choice": "AB", "boolean": ["true", "false"]}.get(
                    call.scene.question.kind, "48"
                )[mood % 2],
            )

        model = Scripted(script, limits=Limits(concurrency=concurrency))
        async with Store.open(tmp_path / f"{concurrency}") as store:
            held.append(await hold_all("network", model, store, questions, graph=graph, **SMALL))
    assert [*map(timeless, held[0])] == [*map(timeless, held[1])]
    for each in held[1]:
        assert [node.place for node in each.nodes] == list(range(len(each.nodes)))
        assert [turn.id for turn in each.turns] == list(range(1, len(each.turns) + 1))
        numbers = [seat.number for seat in each.seats]
        assert numbers == sorted(set(numbers))


async def test_a_node_without_an_answer_stops_nobody(store):
    def script(call):
        return "I am lost." if call.scene.agent.startswith(("C1/", "C3/")) else marked(call)

    held = await hold("network", script, store, graph="cascade", **SMALL)
    answers = {each.node: each.verdict.answer for each in held.nodes}
    assert answers == {f"C{n}": None if n in {1, 3} else "4" for n in range(1, 10)}
    assert held.verdict.answer == "4"
    heard = [turn.reads for turn in held.turns if turn.agent == "C6/member-1"]
    assert [len(reads) for reads in heard] == [2]


@pytest.mark.parametrize("agent", ["C1/member-1", "C2/judge", "C4/member-2", "judge"])
async def test_a_failing_call_fails_its_question_alone(agent, tmp_path):
    others = [msgspec.structs.replace(SUM, id=f"o{n}", text=f"{n}+{n}?") for n in range(2)]
    held = []
    for concurrency in (1, 64):

        async def script(call, concurrency=concurrency):
            await asyncio.sleep(call.draw.seat % 3 / 2000 if concurrency > 1 else 0)
            if call.scene.agent == agent and call.scene.question.id == "sum":
                return RefusedError("not this")
            return marked(call)

        async with Store.open(tmp_path / str(concurrency)) as store:
            model = Scripted(script, limits=Limits(concurrency=concurrency))
            asked = [others[0], SUM, others[1]]
            held.append(await hold_all("network", model, store, asked, **SMALL))
            paid = {turn.call for turn in held[-1][1].turns}
            mended = await hold("network", Scripted(marked), store, **SMALL)
            assert {turn.call for turn in mended.turns if turn.replayed} >= paid
    assert [*map(timeless, held[0])] == [*map(timeless, held[1])]
    first, failed, last = held[0]
    assert (failed.failed.kind, failed.failed.reason) == ("RefusedError", "not this")
    assert failed.verdict is None
    assert agent not in [turn.agent for turn in failed.turns]
    assert first.verdict.answer == last.verdict.answer == "4"


async def test_the_first_node_shares_its_calls_with_a_plain_community(store):
    usual = {"agents": 3, "rounds": 2}
    for replicate in range(2):
        plain = await hold("community", marked, store, replicate=replicate, **usual)
        net = await hold("network", marked, store, replicate=replicate, **usual)
        first = [turn for turn in net.turns if turn.node == "C1"]
        assert [turn.call for turn in first] == [turn.call for turn in plain.turns]
        assert all(turn.replayed for turn in first)
        assert not any(turn.replayed for turn in net.turns if turn.node != "C1")
        assert len({turn.call for turn in net.turns}) == 29


async def test_nodes_that_ask_the_same_draw_each_its_own(store):
    nodes = [{"name": name, "protocol": "self-consistency"} for name in ("A", "B")]
    edges = [["A", "judge"], ["B", "judge"]]
    held = await hold("network", marked, store, nodes=nodes, edges=edges)
    assert len({turn.call for turn in held.turns}) == 11
    seats = [seat.number for seat in held.seats]
    assert seats == [*range(5), *range(SEATS, SEATS + 5), 2 * SEATS]


@pytest.mark.parametrize("name", ["community", "network"])
@pytest.mark.parametrize("placing", ["user", "system"])
async def test_the_question_stands_where_it_is_placed(name, placing, store):
    calls = []

    def script(call):
        calls.append(call)
        return marked(call)

    await hold(name, script, store, placing=placing)
    for call in calls:
        if call.scene.agent == "judge" and name == "network":
            continue
        text = dict.fromkeys(("system", "user"), "")
        for each in call.messages:
            text[each.role] += each.content
        other = {"user": "system", "system": "user"}[placing]
        assert SUM.text in text[placing]
        assert SUM.text not in text[other]
        if call.scene.agent.startswith("C4/"):
            assert "C3 came to this" in text[placing]


async def test_a_network_that_agrees_at_once_sweeps_once(store):
    held = await hold("hopfield", marked, store, **SMALL, communities=3)
    assert [(each.node, each.sweep, each.reads) for each in held.nodes] == [
        (f"C{number}", 1, ()) for number in (1, 2, 3)
    ]
    assert held.verdict.by == "consensus"


async def test_communities_that_differ_read_one_another_and_debate_again(store):
    calls = {}

    def script(call):
        calls[call.scene.agent] = call
        node = call.scene.agent.partition("/")[0]
        answer = "5" if node == "C1" else "6" if node in {"C2", "C2.2"} else "7"
        return f"<{call.scene.agent} in {call.scene.round}>\nFinal answer: {answer}"

    held = await hold("hopfield", script, store, **SMALL, communities=3, sweeps=3)
    assert [(each.node, each.sweep, each.verdict.answer) for each in held.nodes] == [
        *(("C1", 1, "5"), ("C2", 1, "6"), ("C3", 1, "7")),
        *(("C1", 2, "7"), ("C2", 2, "6"), ("C3", 2, "7")),
        *(("C1", 3, "7"), ("C2", 3, "7"), ("C3", 3, "7")),
    ]
    assert held.nodes[4].reads == ("C1", "C3")
    assert marks(calls["C2.2/member-1"]) == {"C1/judge", "C3/judge"}
    assert marks(calls["C2.3/member-1"]) == {"C1.2/judge", "C3.2/judge"}
    assert (held.verdict.answer, held.verdict.by) == ("7", "consensus")
    assert len({turn.id for turn in held.turns}) == len(held.turns) == 27


def test_the_packs_of_all_nodes_are_known():
    nodes = chain({"name": "A", "protocol": "single"}, {"name": "B"})
    own = [registry.get(name).pack().digest for name in ("network", "single", "community")]
    assert list(packs(NETWORK, NETWORK.check(nodes), None)) == own


def test_a_crowded_node_keeps_to_its_own_seats():
    """A thousand seats are a node's; more would be drawn as the next node's are."""
    nodes = chain({"name": "A"}, {"name": "B", "protocol": "self-consistency", "samples": SEATS})
    with pytest.raises(InputError, match=r"nodes\[2\]: samples = 1000: in a node at most 999"):
        NETWORK.check(nodes)
