"""Jury: jurors of other model families judge each answer alone, and their grades are pooled."""

from collections.abc import Coroutine
from statistics import fmean
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from moot import (
    Agent,
    Debate,
    InputError,
    Question,
    Verdict,
    View,
    Views,
    extract,
    protocol,
    verdict_from,
)
from moot.contrib.review.grades import Grades
from moot.contrib.review.juries import (
    choose_jurors,
    find_low_marks,
    pool_by_geometric_median,
    pool_by_mean,
)
from moot.extend.protocols import (
    OMITTED,
    Standings,
    call_apart,
    compose_view,
    gather_all,
)

GIVEN = "the given text"
POOLS = {"mean": pool_by_mean, "geometric-median": pool_by_geometric_median}

MemberCount = Annotated[
    int, Meta(ge=1, le=1000, description="how many members answer, if no text is given")
]
Jurors = Annotated[int, Meta(ge=1, le=99, description="how many jurors judge each answer")]
GradeScale = Annotated[
    Literal["grades", "binary"],
    Meta(description="what a juror gives: grades from 1 to 5 by criterion; binary: right or wrong"),
]
Criteria = Annotated[str, Meta(description="what is graded, separated by commas")]
PooledBy = Annotated[
    Literal["geometric-median", "mean"],
    Meta(description="how grades become one; right or wrong is decided by most votes"),
]
GivenText = Annotated[
    str | None,
    Meta(description="a text that is judged in place of the members' answers", extra=OMITTED),
]
HasAnswers = Annotated[
    bool, Meta(description="filled in: members answer where no text is given", extra=OMITTED)
]
ExcludesFamily = Annotated[
    bool,
    Meta(description="whether no juror judges an answer of its own model's family"),
]


class _JuryChoice(msgspec.Struct):
    criteria: str
    text: str | None
    opening: str
    agents: int
    jurors: int
    cast: list[dict[str, Any]]


def _work_out(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """The settings; grades need something to grade, and a given text is the one that is judged."""
    own = msgspec.convert(settings, _JuryChoice)
    if not all(_list_criteria(own.criteria)):
        raise InputError(f"{where}: criteria = {own.criteria!r}: name each of them")
    text = own.text
    if text and own.opening != "open":
        raise InputError(
            f"{where}: opening = {own.opening!r}: with a text nobody answers, so that "
            "nothing is put to anyone; leave opening = 'open'"
        )
    if text is not None and not text.strip():
        raise InputError(f"{where}: text: it is empty; give the text to judge")
    if text is None:
        return settings | {"answers": True}
    cast = own.cast
    if sum("role" not in each for each in cast) > own.jurors:
        cast = cast[own.agents :]  # the first ones are members'
    return settings | {"answers": False, "agents": 1, "cast": cast, "excludes_family": False}


@protocol(
    paper="PoLL (arXiv:2404.18796), RoPoLL (arXiv:2606.30931)",
    calls="agents * answers + agents * jurors",
    fewest="agents * answers + agents * (jurors - excludes_family * (jurors - 1))",
    roles=("member", "juror"),
    voters=("member",),
    opened=("member",),
    verify=_work_out,
    group="councils",
)
async def jury(
    debate: Debate,
    question: Question,
    *,
    agents: MemberCount = 1,
    jurors: Jurors = 3,
    scale: GradeScale = "grades",
    criteria: Criteria = "correctness, completeness, clarity",
    pool: PooledBy = "geometric-median",
    excludes_family: ExcludesFamily = True,
    text: GivenText = None,
    answers: HasAnswers = True,
) -> Verdict:
    """Let jurors judge each answer alone, pool their grades, and take the best answer.

    Use it when you need a judgement of answers that no single judge decides, best with small models
    of several families; one juror's model for all seats gives one judge's errors three times.

    Each juror reads one answer at a time, and none of the other jurors. By the geometric median a
    minority of jurors cannot move the pooled grades beyond those of the others. A judgement that
    cannot be read does not count. By right or wrong an answer passes that more than half of its
    jurors call right; where none passes, there is no verdict. A given ``text`` is judged by all
    jurors as the one answer to the question.

    Differs:
        - Of both papers the abstract or a summary was to be had, not the text: prompts and criteria
          are ours.
        - A model's family is read from its name. Where that leaves an answer without jurors, all
          jurors judge it, and the count says so.
        - The papers' juries judge given texts. Here the setting ``text`` gives one; without it the
          members' answers are judged. Who wrote a given text is not known, so no juror is left out.
    """
    members = debate.seat("member", agents, remembers=False) if answers else []
    seated = debate.seat("juror", jurors, debater=False, remembers=False)
    own = debate.everyone(members, "answer") if answers else _seat_text(debate, text or "")
    given = await own
    graded = _list_criteria(criteria)
    step = "judge" if scale == "binary" else "grade"
    asked = [
        choose_jurors(debate, [view.agent], seated) if excludes_family else seated for view in given
    ]

    def judge(juror: Agent, view: View) -> Coroutine[Any, Any, View]:
        shown = view.relabel("The answer", view.answer, view.turn.round)
        return debate.ask(
            juror, step, other=shown, in_round=1 + answers, criteria=", ".join(graded)
        )

    pairs = [(juror, view) for view, some in zip(given, asked, strict=True) for juror in some]
    said = Views(await gather_all([judge(*pair) for pair in pairs]))
    of = [
        _Judgement(view, Views(said[i] for i, pair in enumerate(pairs) if pair[1] is view))
        for view in given
    ]
    if scale == "binary":
        return _decide_by_votes(debate, of)
    return _decide_by_grades(debate, of, graded, pool)


async def _seat_text(debate: Debate, text: str) -> Views:
    """Return the given text as the answer of a member that is not asked, seated last."""
    [author] = debate.seat("member", debater=False, remembers=False)
    answer = await call_apart(debate.question.kind, extract, text, debate.question)
    return Views([compose_view(author, text, answer, GIVEN)])


class _Judgement(NamedTuple):
    """An answer, and what its jurors say of it."""

    answer: View
    said: Views

    @property
    def is_given(self) -> bool:
        return self.answer.part == GIVEN

    @property
    def name(self) -> str:
        return "text" if self.is_given else self.answer.agent.seat.agent

    @property
    def title(self) -> str:
        return GIVEN if self.is_given else f"the answer of {self.name}"

    @property
    def verdict(self) -> Verdict:
        made = verdict_from(self.answer, by="jury")
        return msgspec.structs.replace(made, turn=None) if self.is_given else made


def _list_criteria(text: str) -> list[str]:
    return [each.strip().casefold() for each in text.split(",")]


def _decide_by_votes(debate: Debate, judged: list[_Judgement]) -> Verdict:
    """Return the answer that most of its jurors call right; a tie of its jurors is a no."""
    shares, counted = {}, 0
    for each in judged:
        found = [view.get(Grades) for view in each.said]
        votes = [grades.right for grades in found if grades and grades.right is not None]
        if votes:
            shares[each.name] = votes.count(True) / len(votes)
            counted += len(votes)
    _record(debate, shares, counted, "share of jurors who say right")
    best = max(judged, key=lambda each: shares.get(each.name, -1.0))
    passes = shares.get(best.name, 0.0) > 1 / 2
    for view in best.said:
        own = view.get(Grades)
        if own and own.right is not None and own.right != passes:
            word = "right" if own.right else "wrong"
            debate.record_dissent(view, f"judges {best.title} {word}")
    if not passes:
        return Verdict(answer=None, by="jury: none passes" if shares else "jury: no judgements")
    return best.verdict


def _decide_by_grades(
    debate: Debate, judged: list[_Judgement], criteria: list[str], pool: str
) -> Verdict:
    """Return the answer with the best mean of its pooled grades; ties go to the lowest seat."""
    scores, marks = {}, {}
    for each in judged:
        points = {
            view: [float(found.grades[name]) for name in criteria]
            for view in each.said
            if (found := view.get(Grades)) and found.grades.keys() >= {*criteria}
        }
        if points:
            scores[each.name] = fmean(POOLS[pool]([*points.values()]))
            marks[each.name] = {view: fmean(point) for view, point in points.items()}
    _record(debate, scores, sum(map(len, marks.values())), f"{pool} of grades")
    if not scores:
        return Verdict(answer=None, by="jury: no grades")
    best = next(each for each in judged if scores.get(each.name) == max(scores.values()))
    low, bound = find_low_marks({v.agent.seat.agent: m for v, m in marks[best.name].items()})
    for view, mark in marks[best.name].items():
        if view.agent.seat.agent in low:
            why = f"grades {best.title} far below the others"
            debate.record_dissent(view, why, signal=mark, threshold=bound)
    return best.verdict


def _record(debate: Debate, scores: dict[str, float], ballots: int, why: str) -> None:
    ordered = dict(sorted(scores.items(), key=lambda each: -each[1]))
    best = [*ordered.values()][:2]
    lead = round(best[0] - best[1], 6) if len(best) > 1 else None
    rounded = {name: round(score, 6) for name, score in ordered.items()}
    debate.record_count(Standings(scores=rounded, lead=lead, ballots=ballots), why)
