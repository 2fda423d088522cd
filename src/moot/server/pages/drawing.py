"""Who reads whom, drawn: agents side by side, what they said downwards as it followed."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from moot.core.events import Transcript, Turn
from moot.core.plain import line
from moot.server.pages.marks import Mark, Marks
from moot.server.pages.stages import stages

WIDE, LEFT, TOP, ROUND = 90, 58, 26, 15
HIGH, CLOSE, FEW = 62, 46, 5
BROAD = 520
MOST_COLUMNS, MOST_ROWS, MOST_LINES = 40, 60, 900
"""More than that is no drawing that anybody could read."""


def part_key(node: str) -> str:
    """The place on the page of what was said in a node; of a debate without nodes, of all."""
    return f"part-{blake2b(node.encode(), digest_size=6).hexdigest()}" if node else "part-0"


class Spot(NamedTuple):
    """Something that was said, or that a node of a network came to.

    Attributes:
        key: what others read it by.
        who: whose column it stands in.
        row: from 0, downwards.
        row_name: what the row is called.
        label: what it is, in words.
        mark: of its answer.
        changed: whether it is another answer than the same agent's before.
        reads: the keys of what was read.
        at: where on the page it stands in full.
    """

    key: object
    who: str
    row: int
    row_name: str
    label: str
    mark: Mark
    changed: bool
    reads: tuple[object, ...]
    at: str


class Dot(NamedTuple):
    """A spot at its place; ``half`` is half its width."""

    spot: Spot
    x: int
    y: int
    half: int


class Line(NamedTuple):
    """From what was read to who read it.

    Attributes:
        path: as SVG has it.
        own: True where an agent reads itself.
        ends: where on the page both ends stand, for a script that shows them.
    """

    path: str
    own: bool
    ends: tuple[str, str]


class Drawing(NamedTuple):
    """The drawing, in pixels; ``columns`` and ``rows`` are names with their places."""

    width: int
    height: int
    columns: list[tuple[str, str, int]]
    rows: list[tuple[str, int]]
    dots: list[Dot]
    lines: list[Line]

    @property
    def changed(self) -> bool:
        """Whether anybody in it changed its mind."""
        return any(dot.spot.changed for dot in self.dots)

    @property
    def broad(self) -> bool:
        """Whether it needs the width of the page."""
        return self.width > BROAD


def draw(
    transcript: Transcript, marks: Marks, names: Mapping[int, str], changed: Callable[[Turn], bool]
) -> Drawing | None:
    """Draw a debate, or as much of it as there is; None where it is too large, or nothing yet.

    Args:
        transcript: of the debate.
        marks: of its answers.
        names: of the agents by the numbers of their seats, in order.
        changed: whether a turn has another answer than the same agent's before.
    """
    if transcript.nodes or any(turn.node for turn in transcript.turns):
        spots = _nodes(transcript, marks)
    else:
        spots = _turns(transcript, marks, names, changed)
    columns = list(dict.fromkeys(spot.who for spot in spots))
    if not any(turn.node for turn in transcript.turns):
        columns = [name for name in names.values() if name in set(columns)]
    reads = sum(len(spot.reads) for spot in spots)
    rows = max((spot.row for spot in spots), default=-1) + 1
    if not spots or len(columns) > MOST_COLUMNS or rows > MOST_ROWS or reads > MOST_LINES:
        return None
    return _placed(spots, columns, rows)


def _placed(spots: Sequence[Spot], columns: Sequence[str], rows: int) -> Drawing:
    high = HIGH if rows <= FEW else CLOSE
    across = {name: LEFT + WIDE * place + WIDE // 2 for place, name in enumerate(columns)}
    dots = {
        spot.key: Dot(
            spot,
            across[spot.who],
            TOP + high * spot.row + high // 2,
            max(ROUND, 6 + 4 * len(spot.mark.sign)),
        )
        for spot in spots
    }
    lines = [
        _line(dots[read], dot) for dot in dots.values() for read in dot.spot.reads if read in dots
    ]
    named: list[tuple[str, int]] = []
    for spot in sorted(spots, key=lambda spot: spot.row):
        if not named or named[-1][0] != spot.row_name:
            named.append((spot.row_name, spot.row))
    return Drawing(
        width=LEFT + WIDE * len(columns),
        height=TOP + high * rows,
        columns=[(line(name, 13), name, x) for name, x in across.items()],
        rows=[(name, TOP + high * row + high // 2) for name, row in named],
        dots=list(dots.values()),
        lines=lines,
    )


def _line(read: Dot, reader: Dot) -> Line:
    """A line between the two; one that would run through a third bends aside."""
    apart = reader.spot.row - read.spot.row
    x, y, to_x, to_y = read.x, read.y + ROUND, reader.x, reader.y - ROUND
    if apart < 1:  # beside each other
        below = reader.y + ROUND
        path = f"M{x} {y} Q{(x + to_x) // 2} {max(y, below) + 18} {to_x} {below}"
    elif apart > 1 and x == to_x:
        path = f"M{x} {y} Q{x + 44} {(y + to_y) // 2} {to_x} {to_y}"
    elif apart > 1 and x < to_x:  # who speaks in turn stands on the diagonal: around it
        path = f"M{x} {y} C{(x + to_x) // 2} {y} {to_x} {y + 8} {to_x} {to_y}"
    else:
        path = f"M{x} {y} L{to_x} {to_y}"
    return Line(path, read.spot.who == reader.spot.who, (read.spot.at, reader.spot.at))


def _turns(
    transcript: Transcript, marks: Marks, names: Mapping[int, str], changed: Callable[[Turn], bool]
) -> list[Spot]:
    """A spot for each turn, below all that it read and in no row of another round."""
    turns = sorted(transcript.turns, key=lambda turn: turn.id)
    when = stages(turns)
    rows: dict[int, int] = {}
    first = 0
    for stage in sorted(set(when.values())):
        taken: set[tuple[int, int]] = set()
        for turn in (turn for turn in turns if when[turn.id] == stage):
            row = max([first, *(rows[read] + 1 for read in turn.reads if read in rows)])
            while (turn.seat, row) in taken:
                row += 1
            taken.add((turn.seat, row))
            rows[turn.id] = row
        first = max(row for _, row in taken) + 1
    return [
        Spot(
            key=turn.id,
            who=names[turn.seat],
            row=rows[turn.id],
            row_name="after" if when[turn.id].after else when[turn.id].name,
            label=f"#{turn.id} {line(turn.agent, 40)}, {when[turn.id].name}",
            mark=marks.of(turn.answer),
            changed=changed(turn),
            reads=turn.reads,
            at=f"m{turn.id}",
        )
        for turn in turns
    ]


def _nodes(transcript: Transcript, marks: Marks) -> list[Spot]:
    """A spot for each node of a network, sweep by sweep or layer by layer, and for what follows."""
    nodes = sorted(transcript.nodes, key=lambda node: (node.sweep, node.layer, node.place))
    swept = any(node.sweep > 1 for node in nodes)
    spots: list[Spot] = []
    answers: dict[str, str | None] = {}
    places = {
        layer: [node.node for node in nodes if (node.sweep, node.layer) == layer]
        for layer in dict.fromkeys((node.sweep, node.layer) for node in nodes)
    }
    for node in nodes:
        row = list(places).index((node.sweep, node.layer))
        before, answer = answers.get(node.node), node.verdict.answer
        answers[node.node] = answer
        back = node.sweep - 1 if swept else node.sweep
        spots.append(
            Spot(
                key=(node.node, node.sweep),
                who=node.node,
                row=row,
                row_name=f"sweep {node.sweep}" if swept else f"layer {node.layer}",
                label=f"node {line(node.node, 40)}",
                mark=marks.of(answer),
                changed=None not in (before, answer) and marks.of(before) != marks.of(answer),
                reads=tuple((name, back) for name in node.reads),
                at=part_key(node.node if node.sweep == 1 else f"{node.node}.{node.sweep}"),
            )
        )
    ends = [turn for turn in transcript.turns if not turn.node]
    said = {turn.id: turn.node for turn in transcript.turns if turn.node}
    for turn in ends:
        read = dict.fromkeys((said[each], 1) for each in turn.reads if each in said)
        spots.append(
            Spot(
                key=turn.id,
                who=line(turn.agent, 40),
                row=len(places),
                row_name="the network",
                label=f"#{turn.id} {line(turn.agent, 40)}",
                mark=marks.of(turn.answer),
                changed=False,
                reads=tuple(read),
                at=f"m{turn.id}",
            )
        )
    return spots
