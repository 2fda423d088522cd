"""Whether reviews decide better when each judge counts by how reliable it is over a whole run.

A replay over recorded debates of ``peer-review``: no call is made. Judges are raters, and the
answers of all questions are items. What the run chose by plain means is compared with what it would
have chosen by the estimated true scores, on the same debates.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from moot import Ballot, RecordedRuns, Report, ResultTable, Transcript, analysis
from moot.contrib.review.raters import estimate_raters, sharpen_mean
from moot.extend.analyses import (
    Difference,
    Key,
    Mean,
    NamedDifference,
    TableField,
    check_found,
    compare_paired,
    correct_by_holm,
    describe_comparisons,
    list_tests,
    mean_over_questions,
    tabulate,
)
from moot.extend.protocols import is_correct
from moot.extend.words import format_things

PROTOCOL, SCORE = "peer-review", "score"
WEIGHTED = (
    "Weighted: the answer with the highest estimated score, where each judge counts by what it "
    "gives to answers of each score over all questions of the method. No right answer is used for "
    "it. p (Holm): corrected for all methods of a dataset."
)
RELIABLE = (
    "Agreement: how often a judge's score is the likeliest one. Bits: how much it tells of that; a "
    "judge that scores at random tells nothing."
)
Sharpening = Annotated[
    float,
    Meta(gt=0, le=1, description="below 1: how much likelier true scores gain on less likely ones"),
]


class ReviewedAnswers(NamedTuple):
    """The answers to one question, and what the judges gave them.

    Attributes:
        key: the question and the replicate.
        marks: by answer, in the order of the seats, the mean score of each judge.
        right: whether each answer is right.
        chosen: the answer that the debate chose.
    """

    key: Key
    marks: Mapping[str, Mapping[str, float]]
    right: Mapping[str, bool]
    chosen: str


class JudgeWeight(msgspec.Struct, frozen=True, kw_only=True):
    """What the estimate says of a judge.

    Attributes:
        judge: its name.
        agreement: how often its rounded score is the likeliest true one.
        information: how many bits its score tells of the true one.
        table: row by row of the true score, how probable each of its scores is.
    """

    judge: str
    agreement: float
    information: float
    table: list[list[float]]


class WeighedReviews(msgspec.Struct, frozen=True, kw_only=True):
    """An arm on a dataset, by plain means and by weighted ones.

    Attributes:
        plain: accuracy of what the debates chose.
        weighted: accuracy of what they would have chosen.
        difference: weighted minus plain, paired.
        changed: debates in which the two choose answers of different members.
        judges: by seat.
    """

    dataset: str
    arm: str
    plain: Mean
    weighted: Mean
    difference: Difference
    changed: int
    judges: tuple[JudgeWeight, ...]


@analysis(
    source="arXiv:2512.23213 (LLM-PeerReview), weighted",
    group="trust",
    needs=("accuracy",),
    place=82,
    protocols=(PROTOCOL,),
)
def review_weights(runs: RecordedRuns, *, sharpening: Sharpening = 0.5) -> Report:
    """Tell how reliable the judges of a peer review are, and whether weighing them decides better.

    The estimate (Dawid & Skene 1979) sees which judges agree with the others over all questions of
    a method, and no right answer. Of methods of ``peer-review``. In the paper an estimated score is
    a number from 1 on; here it is worth the mean of what judges give to answers of it, since the
    estimate may order its scores in another way.
    """
    tops = {
        arm.name: msgspec.convert(arm.settings, _ReviewChoice).top
        for arm in runs.arms
        if arm.protocol == PROTOCOL
    }
    held: dict[tuple[str, str], list[ReviewedAnswers]] = {}
    for row in runs.debates(protocols={PROTOCOL}):
        if (found := read_reviews(row.transcript)) is not None:
            held.setdefault((row.dataset, row.arm), []).append(found)
    weighed = [
        weigh_reviews(own, tops[arm], sharpening, dataset=dataset, arm=arm)
        for (dataset, arm), own in held.items()
    ]
    check_found(weighed, runs, f"it has no debate of {PROTOCOL} with a score that can be read")
    weighed = correct_by_holm(weighed, "difference", by=lambda each: each.dataset)
    named = [
        NamedDifference(f"{each.arm} on {each.dataset}, weighted against plain", each.difference)
        for each in weighed
    ]
    return Report(
        title=f"Weights of reviews: {runs.name}",
        about=f"{runs.key}: judges of peer reviews as raters of the same answers",
        tables=[_tabulate(weighed), _tabulate_judges(weighed)],
        notes=(WEIGHTED, RELIABLE),
        findings=tuple(describe_comparisons(named)),
        data=weighed,
    )


class _ReviewChoice(msgspec.Struct):
    top: int = 0
    self_scores: bool = True


def read_reviews(transcript: Transcript) -> ReviewedAnswers | None:
    """Return the reviews of a debate; None where it failed, or where no score can be read.

    Args:
        transcript: of a debate of ``PROTOCOL``.
    """
    opened, chosen = transcript.opened, transcript.deciding
    if chosen is None or not transcript.question.answers:
        return None
    asked = msgspec.convert(opened.settings, _ReviewChoice)
    top, own = asked.top, asked.self_scores
    answers = {turn.agent: turn.answer for turn in transcript.turns if turn.votes}
    given: dict[str, dict[str, list[float]]] = {author: {} for author in answers}
    for turn in transcript.turns:
        reading: object = turn.reading
        if turn.step == SCORE and isinstance(reading, Ballot):
            for author, mark in reading.scores.items():
                if author in given and 1 <= mark <= top and (own or author != turn.agent):
                    given[author].setdefault(turn.agent, []).append(mark)
    if not any(given.values()):
        return None
    return ReviewedAnswers(
        key=(transcript.question.id, opened.replicate),
        marks={
            author: {judge: fmean(marks) for judge, marks in by_judge.items()}
            for author, by_judge in given.items()
        },
        right={author: is_correct(each, transcript.question) for author, each in answers.items()},
        chosen=chosen.agent,
    )


def weigh_reviews(
    reviews: Sequence[ReviewedAnswers],
    top: int,
    sharpening: float,
    *,
    dataset: str = "",
    arm: str = "",
) -> WeighedReviews:
    """Return what an arm's reviews choose, plain and weighted.

    Args:
        reviews: of all its debates; at least one.
        top: the best score.
        sharpening: the temperature of the true scores' probabilities.
        dataset: for the result.
        arm: for the result.
    """
    places = [(row, author) for row in reviews for author, marks in row.marks.items() if marks]
    items = [
        {judge: round(mark) for judge, mark in row.marks[author].items()} for row, author in places
    ]
    estimate = estimate_raters(items, top)
    scores = {
        (row.key, author): sharpen_mean(chances, estimate.worth, sharpening)
        for (row, author), chances in zip(places, estimate.chances, strict=True)
    }
    picked = {
        row.key: max(row.marks, key=lambda author: scores.get((row.key, author), 0.0))
        for row in reviews
    }
    plain = {row.key: float(row.right[row.chosen]) for row in reviews}
    weighted = {row.key: float(row.right[picked[row.key]]) for row in reviews}
    likeliest = [1 + max(range(top), key=chances.__getitem__) for chances in estimate.chances]
    return WeighedReviews(
        dataset=dataset,
        arm=arm,
        plain=mean_over_questions(plain),
        weighted=mean_over_questions(weighted),
        difference=compare_paired(weighted, plain),
        changed=sum(picked[row.key] != row.chosen for row in reviews),
        judges=tuple(
            JudgeWeight(
                judge=judge,
                agreement=_share_agreed(items, likeliest, judge),
                information=estimate.information[judge],
                table=table,
            )
            for judge, table in estimate.tables.items()
        ),
    )


def _share_agreed(
    items: Iterable[Mapping[str, int]], likeliest: Iterable[int], judge: str
) -> float:
    """Return how often a judge's score is the likeliest true one."""
    own = zip(items, likeliest, strict=True)
    return fmean(item[judge] == true for item, true in own if judge in item)


def _tabulate(weighed: Iterable[WeighedReviews]) -> ResultTable:
    return tabulate(
        "what reviews choose, plain and weighted",
        weighed,
        TableField("dataset"),
        TableField("arm", head="method"),
        TableField("plain %", "percent", "plain"),
        TableField("weighted %", "percent", "weighted"),
        TableField("difference", "points"),
        *list_tests("difference"),
        TableField("other choices", "count", "changed"),
        TableField("questions", "count", "difference.questions"),
    )


def _tabulate_judges(weighed: Iterable[WeighedReviews]) -> ResultTable:
    arms = {}
    for each in weighed:
        scored = format_things(each.difference.questions, "question")
        arms[f"{each.arm} on {each.dataset}, {scored}"] = each.judges
    return tabulate(
        "how reliable the judges are",
        arms,
        TableField("judge"),
        TableField("agreement %", "percent", "agreement"),
        TableField("bits", "number", "information", 2),
    )
