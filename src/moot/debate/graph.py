"""Graphs of debates: which node reads the verdict of which, up to one judge.

Presets after MAD-Community, figures 2 to 4. A graph of one's own is a list of nodes and one of
edges; an edge goes from a node to another or to ``"judge"``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from moot.core.errors import InputError, check_known
from moot.core.recorded_settings import JUDGE

Edge = tuple[str, str]


def _layers(*layers: Sequence[str]) -> list[Edge]:
    """Return the edges from every node of a layer to every node of the next."""
    return [(one, other) for here, there in pairwise(layers) for one in here for other in there]


PRESETS: dict[str, list[Edge]] = {
    "short-long": [
        ("C1", JUDGE),
        ("C2", "C3"),
        ("C3", "C4"),
        ("C4", JUDGE),
    ],
    "feed-forward": _layers(("C1", "C2", "C3"), ("C4", "C5", "C6"), (JUDGE,)),
    "cascade": [
        *(("C1", "C5"), ("C2", "C5"), ("C2", "C6"), ("C3", "C6"), ("C3", "C7"), ("C4", "C7")),
        *(("C5", "C8"), ("C6", "C8"), ("C6", "C9"), ("C7", "C9")),
        *(("C8", JUDGE), ("C9", JUDGE)),
    ],
}


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in an order in which each comes after those that it reads.

    Attributes:
        before: by node, the nodes that it reads, in the order of the edges.
        layer: by node, the number of nodes on the longest path that ends with it.
        judged: the nodes that the judge reads.
    """

    before: dict[str, tuple[str, ...]]
    layer: dict[str, int] = field(default_factory=dict)
    judged: tuple[str, ...] = ()

    @classmethod
    def build(
        cls, nodes: Sequence[str], edges: Iterable[Sequence[str]], *, where: str = "graph"
    ) -> "Graph":
        """Return the graph of these edges. Every path has to lead to the judge.

        Raises:
            InputError: two nodes of one name, a cycle, a node without edges, or a second end; the
                text names the edge.
            UnknownName: an edge from or to a node that does not exist.
        """
        pairs: list[Edge] = [(a, b) for a, b in edges]
        check_names(nodes, where)
        _check_edges(nodes, pairs, where)
        into = {node: tuple(a for a, b in pairs if b == node) for node in (*nodes, JUDGE)}
        before: dict[str, tuple[str, ...]] = {}
        layer: dict[str, int] = {}
        left = list(nodes)
        while left:
            ready = [node for node in left if all(one in before for one in into[node])]
            if not ready:
                a, b = _find_cycle(left, into)
                raise InputError(
                    f"{where}: the edge [{a!r}, {b!r}] closes a cycle; leave it out, or use the "
                    "protocol hopfield, whose nodes all read one another"
                )
            for node in ready:
                before[node] = into[node]
                layer[node] = 1 + max((layer[one] for one in into[node]), default=0)
            left = [node for node in left if node not in before]
        return cls(before, layer, into[JUDGE])


def check_names(nodes: Sequence[str], where: str) -> None:
    """Raise ``InputError`` if two nodes have one name, or one has the judge's."""
    for node in nodes:
        if node == JUDGE or nodes.count(node) > 1:
            why = "the judge's own name" if node == JUDGE else "the name of two nodes"
            raise InputError(f"{where}: {node!r} is {why}; give each node another")


def _check_edges(nodes: Sequence[str], edges: Sequence[Edge], where: str) -> None:
    for number, (a, b) in enumerate(edges, 1):
        place = f"{where}: edges[{number}] = [{a!r}, {b!r}]"
        check_known("node", [a], nodes, where=place)
        check_known("node", [b], (*nodes, JUDGE), where=place)
        if a == b:
            raise InputError(f"{place}: an edge from a node to itself")
        if (a, b) in edges[: number - 1]:
            raise InputError(f"{place}: this edge is there twice")
    _check_ends(nodes, edges, where)


def _check_ends(nodes: Sequence[str], edges: Sequence[Edge], where: str) -> None:
    for node in nodes:
        if not any(node in edge for edge in edges):
            raise InputError(
                f"{where}: node {node!r} is an orphan, on no edge; add [{node!r}, {JUDGE!r}]"
            )
        if not any(node == a for a, _ in edges):
            raise InputError(
                f"{where}: two ends, {JUDGE!r} and {node!r}; add the edge [{node!r}, {JUDGE!r}]"
            )


def _find_cycle(left: Sequence[str], into: Mapping[str, Sequence[str]]) -> Edge:
    """Return an edge of a cycle: going back from any of these nodes leads to one."""
    seen: list[str] = []
    node = left[0]
    while node not in seen:
        seen.append(node)
        node = next(one for one in into[node] if one in left)
    return node, seen[-1]


def preset_graph(name: str) -> tuple[tuple[str, ...], list[Edge]]:
    """Return the nodes and edges of a preset."""
    edges = PRESETS[name]
    nodes: dict[str, Any] = {}
    for edge in edges:
        nodes |= dict.fromkeys(node for node in edge if node != JUDGE)
    return tuple(sorted(nodes)), edges
