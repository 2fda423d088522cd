"""The confidences of recorded debates, by where they come from and by when they were stated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from moot.analyses.recorded_runs import RecordedRuns
from moot.core.events import Transcript, Turn
from moot.core.stored import DebateRow
from moot.metrics.debaters import find_debaters, find_right
from moot.parsing.same import is_same
from moot.statistics.calibration import ScoredConfidence

AGREEMENT = "agreement"
"""The source that needs no question: the share of the debaters with the same answer."""
FIRST, LAST, VERDICT = "first round", "last round", "verdict"
"""When: an agent's first answer, its last one where it has several, and the debate's."""
STAGES = (FIRST, LAST, VERDICT)
HIGH = 0.75
"""The confidence above which a side is firm."""


@dataclass(slots=True)
class ConfidenceGroup:
    """The scored confidences of one dataset, arm, source and stage.

    Attributes:
        source: ``"stated"``, ``"agreement"``, or another source of a reading.
        stage: one of ``STAGES``.
        seat: the agent, where the group is of one agent alone; else empty.
        answers: those with a confidence.
        asked: answers with one or without.
        split: debates that end with two answers or more that have a confidence.
        escalated: those of them in which two answers have an agent above ``HIGH``.
    """

    dataset: str
    arm: str
    source: str
    stage: str
    seat: str = ""
    answers: list[ScoredConfidence] = field(default_factory=list)
    asked: int = 0
    split: int = 0
    escalated: int = 0

    @property
    def names(self) -> tuple[str, str, str]:
        """Dataset, arm and source."""
        return self.dataset, self.arm, self.source


def gather_confidences(runs: RecordedRuns) -> list[ConfidenceGroup]:
    """Return the groups of all debates whose right answer is known, by arm, source and stage.

    Those of single agents come last. Answers that were not parsed are neither right nor wrong, and
    count nowhere.
    """
    groups: dict[tuple[str, ...], ConfidenceGroup] = {}
    sources: dict[tuple[str, str], set[str]] = {}
    for row in runs.debates():
        sources.setdefault((row.dataset, row.arm), set()).update(_sources_of(row.transcript))
    # Read twice: kept, the transcripts of many debates take gigabytes.
    for arm in dict.fromkeys(arm for (_, arm), found in sources.items() if found):
        for row in runs.debates(arm):
            for source in sorted(sources[row.dataset, row.arm], reverse=True):
                _Scorer(groups, row, source).add_all()
    order = list(dict.fromkeys((group.dataset, group.arm) for group in groups.values()))
    return sorted(
        groups.values(),
        key=lambda group: (
            group.seat != "",
            order.index((group.dataset, group.arm)),
            group.source,
            group.seat,
            STAGES.index(group.stage),
        ),
    )


def has_confidence(transcript: Transcript) -> bool:
    """Return whether an answer of a debate has a confidence of any source."""
    return any(_sources_of(transcript))


def _sources_of(transcript: Transcript) -> Iterator[str]:
    """Yield the sources that a debate has."""
    debaters = find_debaters(transcript)
    if len(debaters) > 1:
        yield AGREEMENT
    for debater in debaters:
        for turn in debater.turns:
            if (stated := _read(turn)) is not None:
                yield stated[0]


def _read(turn: Turn) -> tuple[str, float] | None:
    """Return the source and the confidence of a turn's reading; None where it has none."""
    confidence = getattr(turn.reading, "confidence", None)
    if not isinstance(confidence, int | float):
        return None
    return getattr(turn.reading, "source", "stated"), float(confidence)


class _Scorer:
    """Adds what one debate says by one source to the groups of its arm."""

    def __init__(
        self, groups: dict[tuple[str, ...], ConfidenceGroup], row: DebateRow, source: str
    ) -> None:
        self.groups, self.row, self.source = groups, row, source
        self.kind = row.transcript.question.kind
        self.right = find_right(row.transcript) or {}
        self.debaters = find_debaters(row.transcript)

    def group(self, stage: str, seat: str = "") -> ConfidenceGroup:
        """Return the group of a stage, of all agents or of one."""
        key = self.row.dataset, self.row.arm, self.source, stage, seat
        return self.groups.setdefault(key, ConfidenceGroup(*key))

    def add(self, stage: str, answer: str | None, confidence: float | None, seat: str = "") -> None:
        """Add one answer, if it was parsed and a right answer is known."""
        if answer is None or not self.right:
            return
        for own in [self.group(stage), *([self.group(stage, seat)] if seat else ())]:
            own.asked += 1
            if confidence is not None:
                score = ScoredConfidence(self.row.question, confidence, self.right[answer])
                own.answers.append(score)

    def add_round(self, stage: str, turns: Sequence[Turn]) -> None:
        """Add the answers of a round."""
        for turn in turns:
            seat = turn.agent if len(turns) > 1 else ""
            self.add(stage, turn.answer, self.confidence_in(turn, turns), seat)

    def add_all(self) -> None:
        """Add the first and the last round, and the verdict."""
        last = [each.turns[-1] for each in self.debaters]
        self.add_round(FIRST, [each.turns[0] for each in self.debaters])
        if any(len(each.turns) > 1 for each in self.debaters):
            self.add_round(LAST, last)
        verdict = self.row.transcript.verdict
        if verdict is None or len(last) < 2:
            return
        stated = [
            confidence
            for turn in last
            if is_same(turn.answer, verdict.answer, self.kind)
            if (confidence := self.confidence_in(turn, last)) is not None
        ]
        self.add(VERDICT, verdict.answer, sum(stated) / len(stated) if stated else None)
        if self.source != AGREEMENT and self.right:
            self.count_escalation(last)

    def confidence_in(self, turn: Turn, turns: Sequence[Turn]) -> float | None:
        """Return the confidence of a turn among those of its round; None where it has none."""
        if self.source == AGREEMENT:
            return sum(is_same(turn.answer, each.answer, self.kind) for each in turns) / len(turns)
        found = _read(turn)
        return found[1] if found is not None and found[0] == self.source else None

    def count_escalation(self, last: Sequence[Turn]) -> None:
        """Count whether the debate ends with two answers, and whether two of these are firm."""
        highest: dict[str, float] = {}
        for turn in last:
            confidence = self.confidence_in(turn, last)
            if turn.answer is not None and confidence is not None:
                highest[turn.answer] = max(confidence, highest.get(turn.answer, 0.0))
        if len(highest) > 1:
            group = self.group(VERDICT)
            group.split += 1
            group.escalated += sorted(highest.values())[-2] > HIGH
