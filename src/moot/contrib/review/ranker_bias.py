"""Whether those who rank or grade replies favour the one shown first, or their own.

Each reviewer of a council is shown all replies in an order that is drawn, so that each reply is as
likely to stand in one place as in another: a place that scores more than the middle is favoured.
What a reviewer gives its own reply is compared with what the others give the same reply.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from statistics import fmean
from typing import NamedTuple

import msgspec

from moot import Ballot, ModelName, RecordedRuns, Report, ResultTable, Transcript, Turn, analysis
from moot.contrib.review.grades import TOP, Grades
from moot.extend.analyses import (
    Cluster,
    Mean,
    TableField,
    check_found,
    correct_by_holm,
    list_tests,
    mean_within_bounds,
    sign_flip,
    tabulate,
)
from moot.extend.words import format_interval, format_p_equals, format_things

NO_RANKINGS = "no debate of it has a ranking of replies, or grades"
ALPHA = 0.05
OWN, KIN = "own reply", "reply of its model family"
NOTE = (
    "Excess in points of 100, where a ballot gives the reply ranked first 100 and the last one 0. "
    "A place: the score of replies shown there, minus 50. Own reply: what rankers give their own, "
    "minus what the others give the same reply. Model family: what jurors grade replies of their "
    "own model family, minus what the other jurors grade the same reply; grades from 1 to 5 are 0 "
    "to 100. In brackets: 95 % intervals over questions. p: by exchanging the sign of each "
    "question's excess; Holm: for all rows of the table."
)


class _ShuffleSetting(msgspec.Struct):
    shuffle: str | None = None


class RankerEffect(NamedTuple):
    """What is favoured, and how much.

    Attributes:
        what: ``"place 1"``, ``"own reply"`` or ``"reply of its model family"``.
        excess: of the score, -1 to 1; 0 where nothing is favoured.
        p: how likely an excess at least as far from 0 is without a bias.
        p_holm: corrected by Holm for all effects of all arms on the dataset.
    """

    what: str
    excess: Mean
    p: float
    p_holm: float = 1.0


@dataclass(slots=True)
class RankedReplies:
    """The excesses of an arm on a dataset, by what may be favoured and by question.

    Attributes:
        excesses: of each ballot or grade.
        fixed: ballots on replies in the order of the seats, whose place tells nothing.
        places: the most replies that a ballot ranks.
    """

    excesses: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    fixed: int = 0
    places: int = 0

    def add(self, what: str, question: str, excess: float) -> None:
        """Add one excess."""
        self.excesses.setdefault(what, {}).setdefault(question, []).append(excess)

    def read(self, transcript: Transcript) -> None:
        """Add the ballots and the grades of a debate."""
        question = transcript.question.id
        ballots = [*_read_ballots(transcript)]
        shown = msgspec.convert(transcript.opened.settings, _ShuffleSetting)
        if shown.shuffle == "none":
            self.fixed += len(ballots)
        else:
            for ballot in ballots:
                self.places = max(self.places, len(ballot.shown))
                for place, name in enumerate(ballot.shown, 1):
                    self.add(f"place {place}", question, ballot.scores[name] - 1 / 2)
        for ballot in ballots:
            rest = [each for each in ballots if each.ranker != ballot.ranker]
            given = [each.scores[ballot.ranker] for each in rest if ballot.ranker in each.scores]
            if given and ballot.ranker in ballot.scores:
                self.add(OWN, question, ballot.scores[ballot.ranker] - fmean(given))
        for excess in _compare_kin(transcript):
            self.add(KIN, question, excess)

    def measure(self) -> list[RankerEffect]:
        """Return what each place, one's own reply and one's family's are worth."""
        names = [*(f"place {place}" for place in range(1, self.places + 1)), OWN, KIN]
        found = []
        for name in names:
            if own := self.excesses.get(name):
                clusters = [Cluster(sum(each), len(each)) for each in own.values()]
                excess = mean_within_bounds(clusters, (-1.0, 1.0))
                found.append(RankerEffect(name, excess, sign_flip(clusters)))
        return found


class RankedBallot(NamedTuple):
    """A ballot on replies.

    Attributes:
        ranker: the name of who ranks.
        shown: who wrote the replies, in the order in which they were shown.
        scores: by writer, 1 for the first place and 0 for the last; those that are not ranked share
            the places that are left.
    """

    ranker: str
    shown: tuple[str, ...]
    scores: Mapping[str, float]


def _lack_rankings(runs: RecordedRuns) -> str:
    replies = RankedReplies()
    for row in runs.examples:
        replies.read(row.transcript)
    return "" if replies.excesses or replies.fixed else NO_RANKINGS


@analysis(source="moot", group="trust", place=81, lacks=_lack_rankings)
def ranker_bias(runs: RecordedRuns) -> Report:
    """Tell whether rankers favour the reply shown first, or their own, and jurors their family's.

    Of the ballots of councils and the grades of juries. Where all reviewers are shown the replies
    in the order of the seats, a place cannot be told from who sits there: these are left out.
    """
    found: dict[tuple[str, str], RankedReplies] = {}
    for row in runs.debates():
        replies = found.setdefault((row.dataset, row.arm), RankedReplies())
        replies.read(row.transcript)
    found = {key: own for key, own in found.items() if own.excesses or own.fixed}
    check_found(found, runs, NO_RANKINGS)
    tables: list[ResultTable] = []
    findings: list[str] = []
    for dataset in dict.fromkeys(dataset for dataset, _ in found):
        arms = {arm: own.measure() for (on, arm), own in found.items() if on == dataset}
        fixed = iter(correct_by_holm(chain.from_iterable(arms.values())))
        arms = {arm: [*islice(fixed, len(own))] for arm, own in arms.items()}
        tables.append(_tabulate(dataset, arms))
        findings += [line for arm, own in arms.items() for line in _describe(dataset, arm, own)]
    fixed_order = sum(own.fixed for own in found.values())
    note = f"{format_things(fixed_order, 'ballot')} on replies in the order of the seats: no place."
    return Report(
        title=f"Ranker bias: {runs.name}",
        about=f"{runs.key}: what rankings and grades favour",
        tables=tables,
        findings=tuple(findings),
        notes=(note,) if fixed_order else (),
        data={f"{arm} on {dataset}": own.measure() for (dataset, arm), own in found.items()},
    )


def _read_ballots(transcript: Transcript) -> Iterator[RankedBallot]:
    """Yield the ballots that rank at least two replies by the names of their writers."""
    names = {seat.agent for seat in transcript.seats}
    for turn in transcript.turns:
        reading: object = turn.reading
        if not isinstance(reading, Ballot) or not {*reading.labels.values()} <= names:
            continue
        shown = tuple(reading.labels.values())
        ranked = [each for each in reading.ranking if each in shown]
        if len(shown) > 1 and ranked:
            last = len(shown) - 1
            scores = {name: 1 - place / last for place, name in enumerate(ranked)}
            left = (last - len(ranked)) / 2 / last
            yield RankedBallot(turn.agent, shown, {each: scores.get(each, left) for each in shown})


def _compare_kin(transcript: Transcript) -> Iterator[float]:
    """Yield for each graded reply what jurors of its model's family give beyond the others."""
    by_id = {turn.id: turn for turn in transcript.turns}
    graded: dict[int, list[Turn]] = {}
    for turn in transcript.turns:
        if isinstance(turn.reading, Grades) and turn.reads:
            graded.setdefault(turn.reads[-1], []).append(turn)
    for read, turns in graded.items():
        family = ModelName.find_family(by_id[read].model)
        marks: dict[bool, list[float]] = {True: [], False: []}
        for turn in turns:
            mark = _mark(turn)
            if mark is not None:
                marks[ModelName.find_family(turn.model) == family].append(mark)
        if marks[True] and marks[False]:
            yield fmean(marks[True]) - fmean(marks[False])


def _mark(turn: Turn) -> float | None:
    """Return what a juror gives a reply, from 0 to 1."""
    reading: object = turn.reading
    if not isinstance(reading, Grades):
        return None
    if reading.grades:
        return (fmean(reading.grades.values()) - 1) / (TOP - 1)
    return None if reading.right is None else float(reading.right)


def _tabulate(dataset: str, arms: Mapping[str, Sequence[RankerEffect]]) -> ResultTable:
    return tabulate(
        f"{dataset}: what rankers favour",
        arms,
        TableField("favoured", value="what"),
        TableField("excess", "points"),
        *list_tests(corrected="p Holm"),
        TableField("judgements", "count", "excess.n"),
        note=NOTE,
    )


def _describe(dataset: str, arm: str, effects: Sequence[RankerEffect]) -> Iterator[str]:
    """Yield a sentence for each effect that is shown; one for an arm that shows none."""
    shown = [each for each in effects if each.p_holm <= ALPHA and each.excess.low is not None]
    for each in shown:
        mean = each.excess.mean or 0.0
        word = "favour" if mean > 0 else "disfavour"
        what = f"the reply in {each.what}" if each.what.startswith("place") else f"the {each.what}"
        if each.what == OWN:
            what = "their own reply"
        ends = format_interval(each.excess.low, each.excess.high, sign=True)
        yield (
            f"{arm} on {dataset}: rankers {word} {what} by {100 * abs(mean):.1f} points of 100 "
            f"(95 % interval {ends}; p {format_p_equals(each.p_holm)} after Holm), over "
            f"{format_things(each.excess.questions, 'question')}."
        )
    if effects and not shown:
        tests = format_things(len(effects), "test")
        questions = format_things(effects[0].excess.questions, "question")
        yield f"{arm} on {dataset}: no bias of rankers is shown, in {tests} over {questions}."
