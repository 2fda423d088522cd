"""Who reads whom in a debate, drawn in plain text for a terminal of 80 columns."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from moot.core.events import NodeFinished, Transcript
from moot.core.unread import ANSWER, tell_by
from moot.debate.unread import list_unread

WIDTH = 80
READ, OWN, UNREAD = "●", "○", "·"
LEGEND = f"{READ} reads it   {OWN} reads it, its own   {UNREAD} does not"


class GraphPlace(NamedTuple):
    """A turn, or a node of a network with all that is said in it.

    Attributes:
        name: over its column.
        words: before its row, in columns; the last may be left out where it gets too wide.
        group: what it stands together with.
        who: what is the same for a place and its own earlier ones.
        answer: what it commits to.
        reads: the places it has in front of it, counted from 0.
    """

    name: str
    words: tuple[str, ...]
    group: str
    who: str
    answer: str | None
    reads: frozenset[int]


def draw_reading_graph(transcript: Transcript) -> str:
    """Return a row for every turn with a mark under each turn it reads, and one for the verdict.

    A network is drawn by its nodes: first along its arrows, then in rows. Of a debate that is too
    long for that, what each turn reads is listed.
    """
    by_node = bool(transcript.nodes) and transcript.is_network
    every = _nodes(transcript) if by_node else _turns(transcript)
    parts = [_arrows(every)] if by_node else []
    rows = list(_matrix(every, _verdict(transcript, every)))
    fits = max(map(len, rows), default=0) <= WIDTH
    parts.append("\n".join(rows if fits else _list(every)))
    if fits and any(place.reads for place in every):
        parts.append(LEGEND)
    if transcript.failed:
        parts.append(f"It failed here: {transcript.failed.reason}")
    return "\n\n".join(parts)


def list_edges(transcript: Transcript) -> dict[str, Any]:
    """Return the same as data: every turn, and every node of a network, with what it reads."""
    return {
        "turns": [
            {
                "id": turn.id,
                "agent": turn.agent,
                "role": turn.role,
                "step": turn.step,
                "round": turn.round,
                "node": turn.node,
                "reads": turn.reads,
            }
            for turn in transcript.turns
        ],
        "nodes": [
            {
                "node": node.node,
                "protocol": node.protocol,
                "layer": node.layer,
                "sweep": node.sweep,
                "reads": node.reads,
            }
            for node in transcript.nodes
        ],
        "verdict": _name_rule(transcript) or None,
    }


def _name_rule(transcript: Transcript) -> str:
    """Return how the verdict was reached, without what could not be read but answers."""
    if (verdict := transcript.verdict) is None:
        return ""
    return tell_by(verdict, [each for each in list_unread(transcript) if each.what == ANSWER])


def _turns(transcript: Transcript) -> list[GraphPlace]:
    """Return a place for each turn."""
    at = {turn.id: number for number, turn in enumerate(transcript.turns)}
    return [
        GraphPlace(
            name=str(turn.id),
            words=(f"#{turn.id}", turn.agent, f"round {turn.round}", turn.step),
            group=f"{turn.node} {turn.round}",
            who=turn.agent,
            answer=turn.answer,
            reads=frozenset(at[read] for read in turn.reads),
        )
        for turn in transcript.turns
    ]


def _nodes(transcript: Transcript) -> list[GraphPlace]:
    """Return a place for each node, or for each of its sweeps, and for each turn outside them."""
    nodes = sorted(transcript.nodes, key=lambda node: (node.sweep, node.layer, node.place))
    names = {node.node for node in nodes}
    swept = any(node.sweep > 1 for node in nodes)
    at = {(node.node, node.sweep): number for number, node in enumerate(nodes)}
    spoken = {_node_label(node): number for number, node in enumerate(nodes)}
    said = {turn.id: spoken[turn.node] for turn in transcript.turns if turn.node in spoken}

    def before(node: NodeFinished) -> Iterator[int]:
        for name in node.reads:
            if name in names:
                yield at[name, node.sweep - 1 if swept else node.sweep]

    every = [
        GraphPlace(
            name=_node_label(node),
            words=(_node_label(node), f"sweep {node.sweep}" if swept else f"layer {node.layer}"),
            group=f"sweep {node.sweep}" if swept else f"layer {node.layer}",
            who=node.node,
            answer=node.verdict.answer,
            reads=frozenset(before(node)),
        )
        for node in nodes
    ]
    for turn in transcript.turns:
        if turn.id not in said:
            reads = frozenset(said[read] for read in turn.reads if read in said)
            place = GraphPlace(turn.agent, (turn.agent, ""), "", turn.agent, turn.answer, reads)
            said[turn.id] = len(every)
            every.append(place)
    return every


def _node_label(node: NodeFinished) -> str:
    """Return the node's name, and from the second sweep on its number."""
    return node.node if node.sweep == 1 else f"{node.node}.{node.sweep}"


def _verdict(transcript: Transcript, every: Sequence[GraphPlace]) -> GraphPlace | None:
    """What the verdict follows from: the turn that decides, or the newest of all that vote.

    Without either it follows from the last round.
    """
    verdict = transcript.verdict
    if verdict is None:
        return None
    newest = {place.who: number for number, place in enumerate(every)}
    marked = {at for at in newest.values() if every[at].answer in verdict.votes}
    if not verdict.votes:
        decided = [at for at, place in enumerate(every) if place.name == str(verdict.turn)]
        marked = set(
            decided or [at for at, each in enumerate(every) if each.group == every[-1].group]
        )
    return GraphPlace(
        "", ("verdict", f"by {_name_rule(transcript)}"), "verdict", "", None, frozenset(marked)
    )


def _arrows(every: Sequence[GraphPlace]) -> str:
    """Return in words, group by group, which places each one reads; first those that read none."""
    lines: list[tuple[str, str]] = []
    for group in dict.fromkeys(place.group for place in every):
        here = [place for place in every if place.group == group]
        if alone := ", ".join(place.name for place in here if not place.reads):
            lines.append((group, alone))
        for place in here:
            if place.reads:
                before = ", ".join(every[at].name for at in sorted(place.reads))
                lines.append((group, f"{before} → {place.name}"))
    shown = ""
    drawn = []
    for group, line in lines:
        drawn.append(f"{group if group != shown else '':<10}{line}".rstrip())
        shown = group
    return "\n".join(drawn)


def _matrix(every: Sequence[GraphPlace], verdict: GraphPlace | None) -> Iterator[str]:
    """Yield a line for each place, groups apart, below the line of their names."""
    if not every:
        return
    cell = max(2, *(len(place.name) for place in every)) + 1
    columns = _columns(every, WIDTH - cell * len(every))
    left = max(len(text) for text in columns)
    if verdict is not None:
        left = max(left, len(" ".join(verdict.words)))
    yield (" " * left + "".join(f"{place.name:>{cell}}" for place in every)).rstrip()
    group = every[0].group
    for number, place in enumerate(every):
        if place.group != group:
            group = place.group
            yield ""
        marks = (_mark(every, place, at) for at in range(number))
        yield (f"{columns[number]:<{left}}" + "".join(f"{m:>{cell}}" for m in marks)).rstrip()
    if verdict is not None:
        yield ""
        marks = (READ if at in verdict.reads else UNREAD for at in range(len(every)))
        yield f"{' '.join(verdict.words):<{left}}" + "".join(f"{mark:>{cell}}" for mark in marks)


def _list(every: Sequence[GraphPlace]) -> Iterator[str]:
    """Yield a line for each place with the names of those it reads."""
    columns = _columns(every, WIDTH)
    left = max(map(len, columns), default=0)
    for place, words in zip(every, columns, strict=True):
        reads = ", ".join(every[at].name for at in sorted(place.reads))
        text = f"{words:<{left}} reads {reads or 'nobody'}"
        yield from wrap(text, WIDTH, subsequent_indent="    ")


def _mark(every: Sequence[GraphPlace], place: GraphPlace, at: int) -> str:
    if at not in place.reads:
        return UNREAD
    return OWN if every[at].who == place.who else READ


def _columns(every: Sequence[GraphPlace], room: int) -> list[str]:
    """The words of each place in columns, without the last of them where there is no room."""
    rows = [place.words for place in every]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while len(widths) > 1 and sum(widths) + len(widths) - 1 > room:
        widths.pop()
    return [
        " ".join(f"{word:<{width}}" for word, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]
