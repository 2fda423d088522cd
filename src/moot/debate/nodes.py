"""The nodes of a network: sub-debates with a protocol and settings each, along a graph."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.recorded_settings import JUDGE, read_settings
from moot.debate.agent_config import decode_list
from moot.debate.debate import Debate
from moot.debate.debate_settings import find_given, find_own_names
from moot.debate.feature import CROWDS, find_features, list_common, list_names
from moot.debate.gather_all import gather_all
from moot.debate.graph import Graph, check_names, preset_graph
from moot.debate.protocol import Protocol, registry
from moot.debate.protocol_settings import CONCISE
from moot.debate.subdebates import SEATS, PlannedDebate, SubDebate
from moot.debate.views import Views

NodeTable = dict[str, Any]
Nodes = Annotated[
    list[NodeTable],
    msgspec.Meta(description="tables with a name, a protocol and its settings; else all are alike"),
]
Edges = Annotated[
    list[Annotated[list[str], msgspec.Meta(min_length=2, max_length=2)]],
    msgspec.Meta(description="from a node to a node or to 'judge': a graph of one's own"),
]
SPARE = 10
"""Those of them for agents that are not asked in every round."""
LONGEST = 60
"""The most characters of a node's name."""
OWN = "own"
"""The name of a graph that is not a preset."""


class _Network(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a network; one of communities has no graph."""

    nodes: list[NodeTable] = []
    edges: list[list[str]] = []
    graph: str = OWN
    communities: int = 0
    cast: list[dict[str, Any]] = []


def resolve_nodes(
    settings: dict[str, Any], where: str, overlay: Path | None = None, *, default: str
) -> dict[str, Any]:
    """Return a network's settings with those of every node, and check its edges.

    A node takes the network's settings that its protocol has; its own table goes over them. Without
    edges, tables are for nodes of the preset. Of the network's cast a node takes the entries for
    its roles and, unless its own table lists agents, those without a role.

    Args:
        settings: of the network.
        where: their place, for errors.
        overlay: the user's file of prompts.
        default: the protocol of nodes that name none.

    Raises:
        InputError: a node, an edge or a setting is not possible.
    """
    own = read_settings(settings, _Network)
    listed = _list_tables([{"protocol": default} | table for table in own.nodes], where)
    names = list(listed)
    if "edges" in settings:
        names, wiring = _wire(settings, listed, where)
        settings = settings | wiring
    elif not listed:
        names = [f"C{number + 1}" for number in range(own.communities)]
    elif len(listed) == 1:
        raise InputError(f"{where}: nodes: {names[0]!r} alone has none to read; list two or more")
    tables = {
        name: listed.get(name, ({"protocol": default}, f"{where}: node {name!r}")) for name in names
    }
    made = [
        {"name": name, **_resolve_node(table, settings, place, overlay)}
        for name, (table, place) in tables.items()
    ]
    if "edges" in settings:
        Graph.build(names, read_settings(settings, _Network).edges, where=where)
    alone = sum("role" not in one for one in own.cast)
    if alone and not any(_has_agents(table, place) for table, place in tables.values()):
        raise InputError(
            f"{where}: agents: {alone} are listed without a role, for nodes none of which has as "
            "many agents as the network says; list them in a node: agents = [{…}]"
        )
    return settings | {"nodes": made, "cast": _keep_roles(settings, made, where)}


def _list_tables(nodes: Sequence[NodeTable], where: str) -> dict[str, tuple[NodeTable, str]]:
    """Return the nodes' tables by name, each with its place for errors."""
    places = [f"{where}: nodes[{number}]" for number in range(1, len(nodes) + 1)]
    names = [
        _check_name(table.get("name"), place) for table, place in zip(nodes, places, strict=True)
    ]
    check_names(names, where)
    return dict(zip(names, zip(nodes, places, strict=True), strict=True))


def _check_name(name: object, where: str) -> str:
    """Return a node's name: it stands in prompts, agents' names and results.

    Raises:
        InputError: it is not fit for that.
    """
    fits = isinstance(name, str) and 0 < len(name) <= LONGEST and name.isprintable()
    if not isinstance(name, str) or not fits or name != name.strip() or set("/.") & set(name):
        raise InputError(
            f"{where}: name: expected a text without '/' and '.', printable, of 1 to {LONGEST} "
            f"characters and not blank at an end, got {name!r:.80}"
        )
    return name


def _wire(
    settings: Mapping[str, Any], listed: Mapping[str, tuple[NodeTable, str]], where: str
) -> tuple[list[str], dict[str, Any]]:
    """Return the names of a graph's nodes, and the settings ``graph`` or ``edges`` that follow.

    Edges other than the preset's make a graph of the user's own.
    """
    own = read_settings(settings, _Network)
    graph, edges = own.graph, own.edges
    wired, preset = ((), []) if graph == OWN else preset_graph(graph)
    if edges and not listed:
        raise InputError(f"{where}: edges without nodes: nodes = [{{name = {edges[0][0]!r}}}, …]")
    if edges:
        return list(listed), {"graph": graph if edges == [*map(list, preset)] else OWN}
    if graph == OWN:
        raise InputError(f"{where}: graph = 'own' needs nodes = [{{name = …}}, …] and edges")
    for name, (_, place) in listed.items():
        if name not in wired:
            of = f"{place}: without edges it is for a node of graph = {graph!r}"
            raise UnknownName("node", name, wired, where=of)
    return list(wired), {"edges": [*map(list, preset)]}


def _keep_roles(
    settings: Mapping[str, Any], nodes: Sequence[NodeTable], where: str
) -> list[NodeTable]:
    """Return the entries of the network's cast that name a role.

    The others are left out here: they were given to the nodes before.

    Raises:
        UnknownName: an entry names a role that no node's protocol has.
    """
    roles = {role for node in nodes for role in registry.get(node["protocol"]).roles}
    roles |= {JUDGE} if "edges" in settings else set()
    cast = read_settings(settings, _Network).cast
    for number, one in enumerate(cast, 1):
        if "role" in one and one["role"] not in roles:
            raise UnknownName("role", one["role"], roles, where=f"{where}: agents[{number}]")
    return [one for one in cast if "role" in one]


def _resolve_node(
    table: NodeTable, settings: Mapping[str, Any], where: str, overlay: Path | None
) -> NodeTable:
    """Return a node's table with every setting in force."""
    given = {key: value for key, value in table.items() if key not in _NAMES}
    protocol = _find_protocol(table, where)
    for feature in find_features(given):
        for name in feature.names if feature.for_whole else ():
            if given.get(name, settings[name]) == settings[name]:
                continue
            raise InputError(f"{where}: setting {name}: set it for the whole network alone")
    passed = _list_passed(settings, protocol)
    passed["cast"] = cast = [
        one
        for one in read_settings(settings, _Network).cast
        if (one["role"] in protocol.roles if "role" in one else _has_agents(table, where))
    ]
    for name in ("cast", *CROWDS):
        own = decode_list(given.get(name), f"{where}: setting {name}")
        if isinstance(own, list) and own:
            given[name] = [*(one for one in cast if one not in own), *own]
            passed.pop("cast", None)
    checked = protocol.check(passed | given, where=where, overlay=overlay)
    asked = protocol.count({**checked, "rounds": 1})[1]
    if asked > SEATS - SPARE:
        raise InputError(
            f"{where}: {protocol.name} asks {asked} agents ({protocol.max_calls}, a round): in a "
            f"node at most {SEATS - SPARE}"
        )
    return {"protocol": protocol.name, **checked}


def _list_passed(settings: Mapping[str, Any], protocol: Protocol) -> dict[str, Any]:
    """Return the settings of a network that a node has, too, where it states none of its own."""
    of_features = (name for each in find_given(settings) if each.for_nodes for name in each.names)
    shared = {*list_common(), *_SHARED, *of_features}
    foreign = find_own_names(protocol).intersection(list_names())
    taken = shared.intersection(protocol.setting_names) - foreign
    return {
        key: value
        for key, value in settings.items()
        if key in taken
        if not (key == "style" and value == CONCISE)  # the default: each protocol has its own
    }


def _find_protocol(table: NodeTable, where: str) -> Protocol:
    """Return a node's protocol."""
    kind = table["protocol"]
    if not isinstance(kind, str):
        raise InputError(f"{where}: protocol: expected a text, got {kind!r}")
    protocol = registry.get(kind, where=where)
    if "nodes" in protocol.own.__struct_fields__:
        raise InputError(f"{where}: {protocol.name} is a network itself and cannot be a node")
    return protocol


def _has_agents(table: NodeTable, where: str) -> bool:
    """Return whether a node takes the network's number of agents, and its list of them."""
    told = {"cast", *CROWDS} & set(table)
    return "agents" in _find_protocol(table, where).own.__struct_fields__ and not told


_NAMES = ("name", "protocol")
_SHARED = ("agents", "rounds", "placing", "provenance", "free_judge")


def plan_nodes(debate: Debate, *, sweeps: int = 1) -> list[PlannedDebate]:
    """Plan every debate of a network, sweep by sweep, in an order that its edges allow."""
    settings = debate.context.settings
    network = read_settings(settings, _Network)
    tables = {table["name"]: table for table in network.nodes}
    layer = dict.fromkeys(tables, 1)
    if "edges" in settings:
        layer = Graph.build(list(tables), network.edges).layer
    planned = []
    for sweep in range(1, sweeps + 1):
        for name in layer:
            own = {key: value for key, value in tables[name].items() if key not in _NAMES}
            protocol = registry.get(tables[name]["protocol"])
            planned.append(debate.plan(protocol, own, name=name, layer=layer[name], sweep=sweep))
    return planned


async def run_nodes(graph: Graph, nodes: Sequence[PlannedDebate]) -> dict[str, SubDebate]:
    """Run every node as soon as those before it are done; return their outcomes by name."""
    tasks: dict[str, asyncio.Task[SubDebate]] = {}

    async def start(node: PlannedDebate) -> SubDebate:
        before = [await tasks[name] for name in graph.before[node.name]]
        return await node.run(Views(done.view for done in before))

    for node in nodes:
        tasks[node.name] = asyncio.create_task(start(node))
    try:
        await gather_all(tasks.values())
        return {name: task.result() for name, task in tasks.items()}
    finally:
        tasks.clear()  # a task that failed holds the frames of its error, and they hold all tasks
