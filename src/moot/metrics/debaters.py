"""What several metrics need of a transcript, computed once for each transcript."""

from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Any, Generic, NamedTuple, TypeVar

from moot.core.events import NodeFinished, Transcript, Turn
from moot.core.recorded_settings import NetworkSettings, read_settings
from moot.parsing.same import answer_value

S = TypeVar("S")
T = TypeVar("T")


def keep_last(function: Callable[[S], T]) -> Callable[[S], T]:
    """Keep the last result: all metrics of one debate are computed one after the other."""
    last: tuple[Any, Any] = (None, None)

    def compute(source: S) -> T:
        nonlocal last
        of_source, result = last
        if of_source is not source:
            result = function(source)
            last = source, result
        return result  # type: ignore[no-any-return]  # of type T

    return compute


class SharedMetric(Generic[T]):
    """A function of a value that several metrics share; None where that value is None.

    Attributes:
        needs: computes the value, once for all metrics of a debate that share it.
        value_of: the function.
    """

    def __init__(
        self, needs: Callable[[Transcript], T | None], value_of: Callable[[T], float | None]
    ) -> None:
        self.needs, self.value_of = needs, value_of
        update_wrapper(self, value_of)

    def __call__(self, transcript: Transcript) -> float | None:
        """Measure one debate."""
        shared = self.needs(transcript)
        return None if shared is None else self.value_of(shared)


def measure_from(
    needs: Callable[[Transcript], T | None],
) -> Callable[[Callable[[T], float | None]], SharedMetric[T]]:
    """Make a metric of a function of a value that several metrics share.

    Args:
        needs: computes the value from a transcript; where it is None, so is the metric.

    Returns:
        A decorator, to stand below ``metric``.
    """

    def share(function: Callable[[T], float | None]) -> SharedMetric[T]:
        return SharedMetric(needs, function)

    return share


class Debater(NamedTuple):
    """One debater's part in a debate.

    Attributes:
        turns: its turns, in order; at least one.
        first_answer: its first answer; None if its first turn has none.
        last_answer: its last answer; None if its last turn has none.
    """

    turns: list[Turn]
    first_answer: str | None
    last_answer: str | None


@keep_last
def turns(transcript: Transcript) -> tuple[Turn, ...]:
    """Return all turns, in order."""
    return transcript.turns


@keep_last
def find_deciding(transcript: Transcript) -> Turn | None:
    """Return the deciding turn; None if no single turn decided."""
    return transcript.deciding


@keep_last
def nodes(transcript: Transcript) -> tuple[NodeFinished, ...]:
    """Return the verdicts of a network's nodes; empty for other debates."""
    return transcript.nodes


@keep_last
def find_debaters(transcript: Transcript) -> list[Debater]:
    """Return the debaters by seat, without seats that never spoke or do not debate.

    Those that were dismissed are none. An agent that advises is a debater. The debaters of a
    network are those of its nodes.
    """
    gone = transcript.dismissed
    silent = {seat.number for seat in transcript.seats if not seat.debater or seat.agent in gone}
    spoken: dict[int, list[Turn]] = {}
    for turn in turns(transcript):
        if turn.votes and turn.seat not in silent:
            spoken.setdefault(turn.seat, []).append(turn)
    by_seat = [spoken[seat] for seat in sorted(spoken)]
    return [Debater(turns, turns[0].answer, turns[-1].answer) for turns in by_seat]


@keep_last
def has_answers(transcript: Transcript) -> bool:
    """Return whether the debaters were asked for answers.

    Any words answer an open question. If no debater ever gave such an answer, they were asked for
    something else, as in the debate over an essay's plan: then there are no answers to compare.
    """
    if transcript.question.kind != "text":
        return True
    given = (turn.answer for mind in find_debaters(transcript) for turn in mind.turns)
    return any(answer is not None for answer in given)


@keep_last
def map_values(transcript: Transcript) -> dict[str | None, Hashable]:
    """Return the value of each answer given in a debate; None for the unparsed one."""
    kind = transcript.question.kind
    given = {turn.answer for turn in turns(transcript)}
    return {answer: None if answer is None else answer_value(answer, kind) for answer in given}


@keep_last
def list_values(transcript: Transcript) -> list[list[Hashable]]:
    """Return a list for each debater: the value of its answer in each of its turns.

    The value of an unparsed answer is None. The result is empty if the debaters were not asked for
    answers.
    """
    if not has_answers(transcript):
        return []
    known = map_values(transcript)
    return [[known[turn.answer] for turn in mind.turns] for mind in find_debaters(transcript)]


@keep_last
def find_first_debaters(transcript: Transcript) -> list[Debater]:
    """Return the debaters with answers to compare; if nodes debate several times, of the first."""
    minds = find_debaters(transcript) if has_answers(transcript) else []
    names = set(read_settings(transcript.opened.settings, NetworkSettings).names)
    return [mind for mind in minds if _is_in(mind, names)] if names else minds


@keep_last
def find_last_debaters(transcript: Transcript) -> list[Debater]:
    """Return the debaters with answers to compare; if nodes debate several times, of the last."""
    if not has_answers(transcript):
        return []
    ends = nodes(transcript)
    last = max((node.sweep for node in ends), default=1) if ends else 1
    if last == 1:
        return find_debaters(transcript)
    ended = {f"{node.node}.{last}" for node in ends}
    return [mind for mind in find_debaters(transcript) if _is_in(mind, ended)]


def _is_in(debater: Debater, nodes: set[str]) -> bool:
    """Return whether a debater sits in one of these nodes, or in a sub-debate within one."""
    node = debater.turns[0].node
    return node in nodes or any(node.startswith(f"{name}/") for name in nodes)


@keep_last
def find_right(transcript: Transcript) -> dict[str | None, bool] | None:
    """Return which answers of a debate are right; None if no right answer is known.

    An unparsed answer (None) is not right.
    """
    question = transcript.question
    if question.answer is None:
        return None
    kind, verdict = question.kind, transcript.verdict
    good = {answer_value(answer, kind) for answer in question.answers}
    right = {answer: stands in good for answer, stands in map_values(transcript).items()}
    said = [node.verdict.answer for node in nodes(transcript)]
    for answer in said if verdict is None else (verdict.answer, *said):
        if answer is not None and answer not in right:
            right[answer] = answer_value(answer, kind) in good
    right[None] = False
    return right
