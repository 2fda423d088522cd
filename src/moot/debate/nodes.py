"""Debates within a debate: the nodes of a network, each a protocol with settings of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.core.events import Concluded, Event, Seat, Turn
from moot.debate.agents import Agent, View, Views
from moot.debate.cast import CROWDS, voices
from moot.debate.debate import Debate, together
from moot.debate.graph import JUDGE, Graph, named, of_preset
from moot.debate.protocol import Protocol, registry
from moot.debate.settings import Common

Entry = dict[str, Any]
Nodes = Annotated[
    list[Entry],
    Meta(description="a graph of one's own: tables with a name, a protocol and its settings"),
]
Edges = Annotated[
    list[Annotated[list[str], Meta(min_length=2, max_length=2)]],
    Meta(description="its edges, from a node to a node or to 'judge'"),
]
SEATS = 1000
"""Seats set aside for each node."""
OWN = "own"
"""The graph that is no preset."""
NODE = "community"
"""The protocol of a node that names none."""


@dataclass(frozen=True, slots=True)
class Node:
    """One debate of a network.

    Attributes:
        name: as results call it.
        protocol: by which it debates.
        settings: every setting in force in it.
        place: among all debates of the network, from 0: its seats and turns are its own.
        turn: how many turns the debates before it have at most.
        layer: from 1.
        sweep: from 1.
    """

    name: str
    protocol: Protocol
    settings: Mapping[str, Any]
    place: int
    turn: int
    layer: int = 1
    sweep: int = 1


def worked_out(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """The settings of a network with every node's own worked out, and its edges looked at.

    A node has the network's settings as far as its protocol knows them, but for what its own table
    says. Of the network's cast it has the entries whose role it seats and, unless its own table
    tells how many agents it has, those without a role.
    """
    nodes: Sequence[Entry] = settings["nodes"]
    edges: Sequence[Sequence[str]] = settings.get("edges", ())
    if not nodes and edges:
        raise InputError(f"{where}: edges without nodes: nodes = [{{name = {edges[0][0]!r}}}, …]")
    if not nodes and settings.get("graph") == OWN:
        raise InputError(f"{where}: graph = 'own' needs nodes = [{{name = …}}, …] and edges")
    if not nodes and "graph" in settings:
        wired, edges = of_preset(settings["graph"])
        nodes = [{"name": name} for name in wired]
    elif not nodes:
        nodes = [{"name": f"C{number + 1}"} for number in range(settings["communities"])]
    made = [_own(entry, settings, f"{where}: nodes[{n}]") for n, entry in enumerate(nodes, 1)]
    names = [entry["name"] for entry in made]
    if "edges" in settings:
        if not edges:
            raise InputError(f"{where}: nodes have no edges: edges = [[{names[0]!r}, 'judge'], …]")
        Graph.of(names, edges, where=where)
        drawn = not settings["nodes"] or settings["edges"] == _wired(settings["graph"])
        graph = settings["graph"] if drawn else OWN
        settings = settings | {"edges": [list(edge) for edge in edges], "graph": graph}
    else:
        named(names, where)
    return settings | {"nodes": made, "cast": _of_roles(settings, made, where)}


def _wired(graph: str) -> list[list[str]]:
    """The edges of a preset; none of a graph of one's own."""
    return [] if graph == OWN else [list(edge) for edge in of_preset(graph)[1]]


def _of_roles(settings: Mapping[str, Any], nodes: Sequence[Entry], where: str) -> list[Entry]:
    """The network's cast but for the entries without a role: these are now its nodes'."""
    roles = {role for node in nodes for role in registry.get(node["protocol"]).roles}
    roles |= {JUDGE} if "edges" in settings else set()
    for number, one in enumerate(settings["cast"], 1):
        if "role" in one and one["role"] not in roles:
            raise UnknownName("role", one["role"], roles, where=f"{where}: agents[{number}]")
    return [one for one in settings["cast"] if "role" in one]


def _own(entry: Entry, settings: Mapping[str, Any], where: str) -> Entry:
    """One node's table with every setting in force."""
    given = dict(entry)
    name = given.pop("name", None)
    if not isinstance(name, str) or not name or set("/.") & set(name):
        raise InputError(f"{where}: name: expected a text without '/' and '.', got {name!r}")
    kind = given.pop("protocol", NODE)
    if not isinstance(kind, str):
        raise InputError(f"{where}: protocol: expected a text, got {kind!r}")
    protocol = registry.get(kind, where=where)
    if "nodes" in protocol.own.__struct_fields__:
        raise InputError(f"{where}: {protocol.name} is a network itself and cannot be a node")
    known = set(protocol.settings.__struct_fields__)
    passed = {
        key: value
        for key, value in settings.items()
        if key in known and (key in Common.__struct_fields__ or key in _SHARED)
    }
    counted = "agents" in protocol.own.__struct_fields__ and "agents" not in given
    passed["cast"] = [
        one
        for one in settings["cast"]
        if (one["role"] in protocol.roles if "role" in one else counted)
    ]
    for crowd in CROWDS:
        if isinstance(given.get(crowd), list):
            given[crowd] = [*passed.pop("cast"), *given[crowd]]
    checked = protocol.check(passed | given, where=where)
    for crowd in CROWDS:
        if checked.get(crowd, 0) >= SEATS:
            raise InputError(f"{where}: {crowd} = {checked[crowd]}: in a node at most {SEATS - 1}")
    return {"name": name, "protocol": protocol.name, **checked}


_SHARED = ("agents", "rounds", "placing", "agreement")


def debates(settings: Mapping[str, Any], *, sweeps: int = 1) -> list[Node]:
    """Every debate of a network, sweep by sweep, in an order that its edges allow."""
    tables = {table["name"]: table for table in settings["nodes"]}
    layer = dict.fromkeys(tables, 1)
    if "edges" in settings:
        layer = Graph.of(list(tables), settings["edges"]).layer
    made: list[Node] = []
    turn = 0
    for sweep in range(1, sweeps + 1):
        for name in layer:
            own = {key: value for key, value in tables[name].items() if key not in _NAMES}
            protocol = registry.get(tables[name]["protocol"])
            made.append(Node(name, protocol, own, len(made), turn, layer[name], sweep))
            turn += protocol.count(own)[1]
    return made


_NAMES = ("name", "protocol")


def reserve(debate: Debate, nodes: Sequence[Node]) -> None:
    """Leave the seats and turns of all these to them."""
    last = nodes[-1]
    turns = last.turn + last.protocol.count(last.settings)[1]
    debate.reserve(seats=len(nodes) * SEATS, turns=turns)


def packs(protocol: Protocol, settings: Mapping[str, Any], overlay: Path | None) -> Iterator[str]:
    """The content hashes of all prompts that a debate with these settings may use."""
    yield protocol.pack(overlay).digest
    for table in settings.get("nodes", ()):
        yield registry.get(table["protocol"]).pack(overlay).digest


async def hold(debate: Debate, node: Node, given: Views = Views()) -> View:  # noqa: B008 -- it is empty and cannot change
    """Hold a node's debate on the same question; what it came to, under the node's name.

    Args:
        debate: the network's.
        node: one of ``debates``, for which seats and turns were reserved.
        given: what other nodes came to; it stands in the question that the node's agents see.
    """
    turns: list[Turn] = []

    def listen(event: Event) -> None:
        if isinstance(event, Turn):
            turns.append(event)
        debate.listen(event)

    floor = debate.floor
    pack = node.protocol.pack(floor.overlay)
    name = node.name if node.sweep == 1 else f"{node.name}.{node.sweep}"
    own = replace(
        floor,
        voice=voices(node.settings, floor.model),
        pack=pack,
        settings=node.settings,
        node=name,
        seat=floor.seat + node.place * SEATS,
        turn=floor.turn + node.turn,
        given=given,
    )
    verdict = await node.protocol.held(Debate(debate.question, own, listen), node.settings)
    debate.listen(
        Concluded(
            node=node.name,
            protocol=node.protocol.name,
            pack=pack.digest,
            layer=node.layer,
            verdict=verdict,
            place=node.place,
            sweep=node.sweep,
            reads=tuple(view.agent.label for view in given),
        )
    )
    carries = next((turn for turn in turns if turn.id == verdict.turn), max(turns, key=_number))
    if carries.order and verdict.answer:  # its words speak of letters that nobody else is shown
        choice = debate.question.choices[debate.question.letters.index(verdict.answer)]
        carries = msgspec.structs.replace(carries, text=f"({verdict.answer}) {choice}")
    seat = Seat(number=carries.seat, agent=name, role="node", model=carries.model, node=name)
    agent = Agent(seat, node.name, own.voice(0, "node"))
    return View(agent, carries).called(node.name, verdict.answer, node.sweep)


def _number(turn: Turn) -> int:
    return turn.id


async def along(
    graph: Graph, nodes: Sequence[Node], held: Callable[[Node, Views], Awaitable[View]]
) -> dict[str, View]:
    """Hold every node as soon as those before it are done; what each came to, by name."""
    tasks: dict[str, asyncio.Task[View]] = {}

    async def start(node: Node) -> View:
        return await held(node, Views([await tasks[name] for name in graph.before[node.name]]))

    for node in nodes:
        tasks[node.name] = asyncio.create_task(start(node))
    views = await together(tasks.values())
    return dict(zip(tasks, views, strict=True))
