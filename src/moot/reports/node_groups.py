"""The nodes of a network: what was said in each."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from moot.core.display_text import on_one_line
from moot.core.events import NodeFinished, Noted, Searched, Transcript, Turn

Between = Searched | Noted
"""What happens between two turns."""


class TurnGroup(NamedTuple):
    """The turns of one debate within a debate.

    Attributes:
        name: the node, with its layer or sweep; empty in a debate that is no network.
        about: its protocol, and the nodes it read; empty without a verdict.
        ended: its verdict; None without one, and for the debate as a whole.
        turns: in order.
        whole: True for what was said in no node.
        between: what was looked up in the user's documents, and what the protocol settled, after
            each turn, by its id; 0 is before all of them.
    """

    name: str
    about: str
    ended: NodeFinished | None
    turns: list[Turn]
    whole: bool = False
    between: Mapping[int, list[Between]] = MappingProxyType({})

    @classmethod
    def list_all(cls, transcript: Transcript) -> "list[TurnGroup]":
        """Return the turns of a debate, node by node; see ``group_turns``."""
        return [*group_turns(transcript)]


def group_turns(transcript: Transcript) -> Iterator[TurnGroup]:
    """The turns of a debate, node by node in the order of their turns; else one group of all."""
    said: dict[str, list[Turn]] = {}
    for turn in transcript.turns:
        said.setdefault(turn.node, []).append(turn)
    ended = {_name_in_turns(node): node for node in transcript.nodes}
    settings, network = transcript.opened.settings, transcript.is_network
    kind = "" if "nodes" not in settings else "layer" if "edges" in settings else "sweep"
    for name, turns in said.items():
        between = _between(transcript, name, turns)
        if name:
            own = _group(name, ended.get(name), turns, kind)
            group = own if network else own._replace(name=own.name.replace("node", "sub-debate", 1))
        elif len(said) == 1:
            group = TurnGroup("", "", None, turns, whole=True)
        else:
            nodes, own_name = _nodes_of(turns, said), "the network" if network else "the debate"
            about = _read(nodes) if network or nodes else ""
            group = TurnGroup(own_name, about, None, turns, whole=True)
        yield group._replace(between=between)


def _between(transcript: Transcript, node: str, turns: list[Turn]) -> dict[int, list[Between]]:
    found: dict[int, list[Between]] = {}
    for event in transcript.events:
        if isinstance(event, Between) and event.node == node:
            before = max((turn.id for turn in turns if turn.id <= event.after), default=0)
            found.setdefault(before, []).append(event)
    return found


def _group(name: str, ended: NodeFinished | None, turns: list[Turn], kind: str) -> TurnGroup:
    """Return the turns of a node; ``kind`` is what is numbered: layer, sweep or nothing."""
    outer, slash, own = name.rpartition("/")
    node, _, sweep = own.partition(".")
    told = f"node {on_one_line(f'{outer}{slash}{node}', 40)}"
    if sweep or kind == "sweep":
        told += f", sweep {sweep or 1}"
    elif ended is not None and kind == "layer":
        told += f", layer {ended.layer}"
    about = "" if ended is None else f"{on_one_line(ended.protocol)} · {_read(ended.reads)}"
    return TurnGroup(told, about, ended, turns)


def _name_in_turns(node: NodeFinished) -> str:
    """Return the name that a node's turns carry: ``C1``; from its second sweep on ``C1.2``."""
    return node.node if node.sweep == 1 else f"{node.node}.{node.sweep}"


def _nodes_of(turns: list[Turn], said: Mapping[str, list[Turn]]) -> list[str]:
    """Return the nodes whose turns these turns read."""
    read = {number for turn in turns for number in turn.reads}
    return [name for name, own in said.items() if name and any(each.id in read for each in own)]


def _read(nodes: Sequence[str]) -> str:
    return "read " + (", ".join(on_one_line(node, 40) for node in nodes) or "no node")
