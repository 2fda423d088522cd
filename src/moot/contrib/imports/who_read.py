"""Who read whom: from what a log says, else from earlier replies that stand in later prompts."""

from collections.abc import Sequence
from typing import NamedTuple

from moot.contrib.imports.debate_log import LoggedDebate, LoggedTurn

_LEAST = 12
"""The least characters of a reply that is looked for: a shorter one stands anywhere."""


class TurnReads(NamedTuple):
    """The earlier turns that an agent was shown.

    Attributes:
        turns: their numbers, in order.
        is_known: False where the log does not show it.
    """

    turns: tuple[int, ...] = ()
    is_known: bool = True


def find_reads(debate: LoggedDebate) -> list[TurnReads]:
    """Return of each turn which earlier ones its agent was shown, its own included.

    A log's own word counts. Else an earlier reply was shown that stands in the turn's prompt, white
    space apart. Where an agent's conversation goes on, its own earlier turns and what they were
    shown are shown again. A turn without a prompt is unknown, but for the first of a debate.
    """
    flat: list[str] = []
    found: list[TurnReads] = []
    own: dict[str, tuple[int, ...]] = {}
    for number, turn in enumerate(debate.turns, 1):
        if turn.reads is not None:
            reads = TurnReads(tuple(sorted({each for each in turn.reads if 0 < each < number})))
        elif turn.prompt:
            before = own.get(turn.agent, ())
            flat += [_flatten(each.text) for each in debate.turns[len(flat) : number - 1]]
            reads = TurnReads(tuple(sorted({*before, *_find_shown(turn, flat)})))
        else:
            reads = TurnReads(is_known=number == 1)
        if turn.prompt:
            own[turn.agent] = (*reads.turns, number)
        found.append(reads)
    return found


def _find_shown(turn: LoggedTurn, flat: Sequence[str]) -> list[int]:
    """Return the numbers of the earlier replies that stand in a turn's prompt.

    Equal replies are shown as often as they stand there, the newest first.
    """
    prompt = _flatten("\n".join(message.content for message in turn.prompt)) if flat else ""
    left: dict[str, int] = {}
    shown = []
    for number in range(len(flat), 0, -1):
        reply = flat[number - 1]
        if len(reply) < _LEAST:
            continue
        if reply not in left:
            left[reply] = prompt.count(reply)
        if left[reply]:
            left[reply] -= 1
            shown.append(number)
    return shown


def _flatten(text: str) -> str:
    return " ".join(text.split())
