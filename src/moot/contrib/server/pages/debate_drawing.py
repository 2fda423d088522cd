"""Who reads whom, drawn: a column for each agent, its messages from top to bottom."""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import NamedTuple

from moot import Transcript, Turn
from moot.contrib.server.pages.marks import AnswerMark, AnswerMarks
from moot.contrib.server.pages.turn_stages import find_stages
from moot.extend.words import on_one_line

WIDE, LEFT, TOP, ROUND = 90, 58, 26, 15
HIGH, CLOSE, FEW = 62, 46, 5
BROAD = 520
MOST_COLUMNS, MOST_ROWS, MOST_LINES = 40, 60, 900
"""A larger drawing would not be readable."""


def part_key(node: str) -> str:
    """Return the HTML id of a node's messages; without nodes, of all messages."""
    return f"part-{blake2b(node.encode(), digest_size=6).hexdigest()}" if node else "part-0"


class Dot(NamedTuple):
    """A message, or the verdict of a node of a network.

    Attributes:
        key: the name by which others read it.
        column: the name of its column.
        row: from 0, downwards.
        row_name: the label of the row.
        label: its description.
        mark: of its answer.
        changed: whether its answer is not the one that the same agent gave before.
        reads: the keys of those that it read.
        at: the HTML id of the whole message.
        x: of its centre, in pixels.
        y: of its centre, in pixels.
    """

    key: object
    column: str
    row: int
    row_name: str
    label: str
    mark: AnswerMark
    changed: bool
    reads: tuple[object, ...]
    at: str
    x: int = 0
    y: int = 0

    @property
    def half(self) -> int:
        """Half its width, in pixels."""
        return max(ROUND, 6 + 4 * len(self.mark.sign))


class ReadLine(NamedTuple):
    """A line from a message to one that read it.

    Attributes:
        path: as SVG has it.
        own: whether an agent reads itself.
        ends: the HTML ids of both messages, for the script that highlights them.
    """

    path: str
    own: bool
    ends: tuple[str, str]


class ReadingDrawing(NamedTuple):
    """The drawing, in pixels; ``columns`` and ``rows`` are names with their places."""

    width: int
    height: int
    columns: list[tuple[str, str, int]]
    rows: list[tuple[str, int]]
    dots: list[Dot]
    lines: list[ReadLine]

    @property
    def changed(self) -> bool:
        """Whether an agent changed its answer."""
        return any(dot.changed for dot in self.dots)

    @property
    def broad(self) -> bool:
        """Whether it needs the width of the page."""
        return self.width > BROAD


def draw_debate(
    transcript: Transcript,
    marks: AnswerMarks,
    names: Mapping[int, str],
    changed: Callable[[Turn], bool],
) -> ReadingDrawing | None:
    """Draw a debate as far as it has come; None if that is too large, or empty.

    Args:
        transcript: of the debate.
        marks: of its answers.
        names: of the agents by the numbers of their seats, in order.
        changed: whether a turn has another answer than the same agent's before.
    """
    if transcript.is_network:
        dots = _node_dots(transcript, marks)
        columns = list(dict.fromkeys(dot.column for dot in dots))
    else:
        dots = _turn_dots(transcript, marks, names, changed)
        columns = [name for name in names.values() if any(dot.column == name for dot in dots)]
    rows = max((dot.row for dot in dots), default=-1) + 1
    reads = sum(len(dot.reads) for dot in dots)
    if not dots or len(columns) > MOST_COLUMNS or rows > MOST_ROWS or reads > MOST_LINES:
        return None
    high = HIGH if rows <= FEW else CLOSE
    across = {name: LEFT + WIDE * at + WIDE // 2 for at, name in enumerate(columns)}
    down = [TOP + high * row + high // 2 for row in range(rows)]
    placed = {each.key: each._replace(x=across[each.column], y=down[each.row]) for each in dots}
    named: list[tuple[str, int]] = []
    for dot in sorted(dots, key=lambda dot: dot.row):
        if not named or named[-1][0] != dot.row_name:
            named.append((dot.row_name, down[dot.row]))
    return ReadingDrawing(
        width=LEFT + WIDE * len(columns),
        height=TOP + high * rows,
        columns=[(on_one_line(name, 13), name, x) for name, x in across.items()],
        rows=named,
        dots=list(placed.values()),
        lines=[
            ReadLine(_path(read, dot), read.column == dot.column, (read.at, dot.at))
            for dot in placed.values()
            for read in (placed[key] for key in dot.reads if key in placed)
        ],
    )


def _path(read: Dot, reader: Dot) -> str:
    """Return the path between the two; one that would run through a third bends aside."""
    apart = reader.row - read.row
    x, y, to_x, to_y = read.x, read.y + ROUND, reader.x, reader.y - ROUND
    if apart < 1:  # beside each other
        below = reader.y + ROUND
        return f"M{x} {y} Q{(x + to_x) // 2} {max(y, below) + 18} {to_x} {below}"
    if apart > 1 and x == to_x:
        return f"M{x} {y} Q{x + 44} {(y + to_y) // 2} {to_x} {to_y}"
    if apart > 1 and x < to_x:  # agents that speak in turn stand on the diagonal
        return f"M{x} {y} C{(x + to_x) // 2} {y} {to_x} {y + 8} {to_x} {to_y}"
    return f"M{x} {y} L{to_x} {to_y}"


def _mark(turn: Turn, transcript: Transcript, marks: AnswerMarks) -> AnswerMark:
    """Return the mark of a turn's answer; of one that needs none the words are its step."""
    mark = marks.of(turn.answer)
    if turn.answer is not None or transcript.lacks_answer(turn):
        return mark
    return mark._replace(words=on_one_line(turn.step, 40))


def _turn_dots(
    transcript: Transcript,
    marks: AnswerMarks,
    names: Mapping[int, str],
    changed: Callable[[Turn], bool],
) -> list[Dot]:
    """Return a dot for each turn, below all that it read and in no row of another round."""
    turns = sorted(transcript.turns, key=lambda turn: turn.id)
    when = find_stages(turns)
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
        Dot(
            key=turn.id,
            column=names[turn.seat],
            row=rows[turn.id],
            row_name="after" if when[turn.id].after else when[turn.id].name,
            label=f"#{turn.id} {on_one_line(turn.agent, 40)}, {when[turn.id].name}",
            mark=_mark(turn, transcript, marks),
            changed=changed(turn),
            reads=turn.reads,
            at=f"m{turn.id}",
        )
        for turn in turns
    ]


def _node_dots(transcript: Transcript, marks: AnswerMarks) -> list[Dot]:
    """Return a dot for each node of a network in each sweep, and for each turn after the network.

    A row is a layer; in a network with several sweeps, it is a sweep.
    """
    nodes = sorted(transcript.nodes, key=lambda node: (node.sweep, node.layer, node.place))
    swept = any(node.sweep > 1 for node in nodes)
    rows = {at: row for row, at in enumerate(dict.fromkeys((n.sweep, n.layer) for n in nodes))}
    dots: list[Dot] = []
    before: dict[str, AnswerMark] = {}
    for node in nodes:
        mark, earlier = marks.of(node.verdict.answer), before.get(node.node)
        before[node.node] = mark
        dots.append(
            Dot(
                key=(node.node, node.sweep),
                column=node.node,
                row=rows[node.sweep, node.layer],
                row_name=f"sweep {node.sweep}" if swept else f"layer {node.layer}",
                label=f"node {on_one_line(node.node, 40)}",
                mark=mark,
                changed=bool(earlier and earlier.colour and mark.colour and earlier != mark),
                reads=tuple((name, node.sweep - swept) for name in node.reads),
                at=part_key(node.node if node.sweep == 1 else f"{node.node}.{node.sweep}"),
            )
        )
    said = {turn.id: turn.node for turn in transcript.turns if turn.node}
    dots += [
        Dot(
            key=turn.id,
            column=on_one_line(turn.agent, 40),
            row=len(rows),
            row_name="the network",
            label=f"#{turn.id} {on_one_line(turn.agent, 40)}",
            mark=_mark(turn, transcript, marks),
            changed=False,
            reads=tuple(dict.fromkeys((said[read], 1) for read in turn.reads if read in said)),
            at=f"m{turn.id}",
        )
        for turn in transcript.turns
        if not turn.node
    ]
    return dots
