"""Debates of a control set, question by question: what was answered before and after a revision."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from moot.analyses.recorded_runs import RecordedRuns
from moot.core.events import Transcript, Turn
from moot.core.stored import Arm, DebateRow
from moot.metrics.debaters import find_right, map_values
from moot.parsing.same import majority
from moot.statistics.accuracies import Key
from moot.studies.controls import SAMPLED, VOTE, ControlSet, find_control_sets

Answers = tuple[Hashable, ...]
"""The value of each agent's answer, by seat; None where it is unparsed."""


NO_NOTHING = (
    "it has no method that shows agents nothing beside one that shows them something; write "
    "controls = true into its study"
)
"""The lack of runs without a control set for the effect of being shown something."""


class Revision(NamedTuple):
    """One debate in which agents answer, and revise their answers once.

    Attributes:
        calls: of the first round, by seat.
        first: the answers of the first round.
        revised: the revised answers, as many; those of the draw that counts.
        again: those of the draw that does not count; empty where each was drawn once.
        confidences: of the first round, as agents state them, 0 to 1; None where one does not.
        right: the values of the right answers; empty where none is known.
        accuracy: whether the verdict is right; None where no right answer is known.
        vote: whether the vote of the first round is right; None as above.
        again_vote: whether the vote of ``again`` is right; None as above, or without them.
        prompt_tokens: read in all calls; None where a count is unknown.
        completion_tokens: written, the same.
        turns: how many calls there were.
    """

    calls: tuple[str, ...]
    first: Answers
    revised: Answers
    again: Answers
    confidences: tuple[float | None, ...]
    right: frozenset[Hashable]
    accuracy: float | None
    vote: float | None
    again_vote: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    turns: int


Revisions = dict[Key, Revision]


class MeasuredSet(NamedTuple):
    """A control set on one dataset.

    Attributes:
        name: what it is called where there are several.
        dataset: the dataset's label.
        arms: the arms, by way.
        debates: of each arm; debates that failed are left out.
        unequal: (question, replicate) left out, since the first rounds of its arms are not the same
            calls.
        failed: debates left out, since they have no verdict.
        others: names of arms that show the same as one of these and are left out.
    """

    name: str
    dataset: str
    agents: int
    arms: dict[str, Arm]
    debates: dict[str, Revisions]
    unequal: int
    failed: int
    others: tuple[str, ...]

    @property
    def ways(self) -> list[str]:
        """The arms that show agents something, in the order of the sets."""
        return [way for way in self.debates if way not in {VOTE, SAMPLED}]

    @property
    def notes(self) -> Iterator[str]:
        """What was left out, in sentences."""
        place = f"{self.dataset}: " if self.dataset else ""
        if self.unequal:
            yield (
                f"{place}{self.unequal} (question, replicate) left out: the first rounds of their "
                "methods are not the same calls."
            )
        if self.failed:
            yield f"{place}{self.failed} failed debates left out."
        if self.others:
            yield f"Left out, since another method shows the same: {', '.join(self.others)}."

    def pair(self, *ways: str) -> list[Key]:
        """Return what all of these arms have debated."""
        first, *rest = (self.debates[way] for way in ways)
        return [key for key in first if all(key in each for each in rest)]


def find_lacking_way(runs: RecordedRuns) -> str:
    """Return the lack of runs without an arm that shows nothing beside one that does."""
    for each in find_control_sets(runs.arms):
        shown = {*each.arms} - {VOTE, SAMPLED}
        if "nothing" in shown and len(shown) > 1:
            return ""
    return NO_NOTHING


def measure_sets(runs: RecordedRuns) -> list[MeasuredSet]:
    """Return the control sets of runs on each dataset."""
    found = []
    sets = find_control_sets(runs.arms)
    for number, each in enumerate(sets, 1):
        name = f"set {number}" if len(sets) > 1 else ""
        read = {way: _read_arm(runs, arm) for way, arm in each.arms.items()}
        for dataset in runs.datasets:
            debates = {way: own[0][dataset] for way, own in read.items() if dataset in own[0]}
            if debates:
                failed = sum(own[1].get(dataset, 0) for own in read.values())
                found.append(_match_first_rounds(name, dataset, each, debates, failed))
    return found


def _read_arm(runs: RecordedRuns, arm: Arm) -> tuple[dict[str, Revisions], dict[str, int]]:
    """Return the debates of an arm by dataset, and how many failed."""
    found: dict[str, Revisions] = {}
    failed: dict[str, int] = {}
    for row in runs.debates(arm.name):
        if row.failed:
            failed[row.dataset] = failed.get(row.dataset, 0) + 1
        else:
            found.setdefault(row.dataset, {})[row.question, row.replicate] = read_revision(row)
    return found, failed


def read_revision(row: DebateRow) -> Revision:
    """Return what a debate's agents answered in its first round and in its first revision."""
    transcript = row.transcript
    silent = {seat.number for seat in transcript.seats if not seat.debater}
    own = [turn for turn in transcript.turns if turn.seat not in silent and not turn.node]
    first = _order(own, 1, counts=True)
    again = _order(own, 2, counts=False)
    known = find_right(transcript)
    values = map_values(transcript)
    right = frozenset(values[a] for a, good in (known or {}).items() if good and a in values)
    return Revision(
        calls=tuple(turn.call for turn in first),
        first=tuple(values[turn.answer] for turn in first),
        revised=tuple(values[turn.answer] for turn in _order(own, 2, counts=True)),
        again=tuple(values[turn.answer] for turn in again),
        confidences=tuple(_read_confidence(turn) for turn in first),
        right=right,
        accuracy=row.values.get("accuracy"),
        vote=_judge_vote(transcript, known, first),
        again_vote=_judge_vote(transcript, known, again) if again else None,
        prompt_tokens=_add(turn.prompt_tokens for turn in transcript.turns),
        completion_tokens=_add(turn.completion_tokens for turn in transcript.turns),
        turns=len(transcript.turns),
    )


def _read_confidence(turn: Turn) -> float | None:
    """Return how sure an agent says it is of its answer; None where it does not."""
    stated = getattr(turn.reading, "confidence", None)
    return float(stated) if isinstance(stated, int | float) else None


def _order(turns: Sequence[Turn], number: int, *, counts: bool) -> list[Turn]:
    chosen = (turn for turn in turns if turn.round == number and turn.votes == counts)
    return sorted(chosen, key=lambda turn: turn.seat)


def _judge_vote(
    transcript: Transcript, known: Mapping[str | None, bool] | None, turns: Sequence[Turn]
) -> float | None:
    """Return whether the most frequent answer of these turns is right."""
    if known is None:
        return None
    answer, _ = majority([turn.answer for turn in turns], transcript.question.kind)
    return float(known[answer])


def _add(counts: Iterator[int | None]) -> int | None:
    every = list(counts)
    return None if None in every else sum(count or 0 for count in every)


def _match_first_rounds(
    name: str, dataset: str, made: ControlSet, debates: dict[str, Revisions], failed: int
) -> MeasuredSet:
    """Return a set without questions whose first rounds are not the same calls in all arms.

    The first round is that of most agents: votes of more samples begin with it.
    """
    unequal = set()
    calls: dict[Key, tuple[str, ...]] = {}
    for own in debates.values():
        for key, each in own.items():
            begun = each.calls[: made.agents]
            if calls.setdefault(key, begun) != begun:
                unequal.add(key)
    kept = {
        way: {key: each for key, each in own.items() if key not in unequal}
        for way, own in debates.items()
    }
    return MeasuredSet(
        name, dataset, made.agents, made.arms, kept, len(unequal), failed, made.others
    )
