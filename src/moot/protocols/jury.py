"""Jury: jurors of other model families judge each answer alone, and their grades are pooled."""

from collections.abc import Coroutine
from statistics import fmean
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.gather_all import gather_all
from moot.debate.juries import find_low_marks, pool_by_geometric_median, pool_by_mean
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents
from moot.debate.verdicts import verdict_from
from moot.debate.views import View, Views
from moot.models.model_names import find_family
from moot.parsing.grades import Grades
from moot.parsing.standings import Standings

POOLS = {"mean": pool_by_mean, "geometric-median": pool_by_geometric_median}

Jurors = Annotated[int, Meta(ge=1, le=99, description="how many jurors judge each answer")]
GradeScale = Annotated[
    Literal["grades", "binary"],
    Meta(description="what a juror gives: grades from 1 to 5 by criterion, or right or wrong"),
]
Criteria = Annotated[str, Meta(description="what is graded, separated by commas")]
PooledBy = Annotated[
    Literal["geometric-median", "mean"],
    Meta(description="how grades become one; right or wrong is decided by most votes"),
]
ExcludesFamily = Annotated[
    bool,
    Meta(description="whether no juror judges an answer of its own model's family"),
]


def _need_criteria(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """The settings; grades need something to grade."""
    if not all(_list_criteria(settings["criteria"])):
        raise InputError(f"{where}: criteria = {settings['criteria']!r}: name each of them")
    return settings


@protocol(
    paper="PoLL (arXiv:2404.18796), RoPoLL (arXiv:2606.30931)",
    calls="agents + agents * jurors",
    fewest="agents + agents * (jurors - excludes_family * (jurors - 1))",
    roles=("member", "juror"),
    voters=("member",),
    opened=("member",),
    verify=_need_criteria,
)
async def jury(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 1,
    jurors: Jurors = 3,
    scale: GradeScale = "grades",
    criteria: Criteria = "correctness, completeness, clarity",
    pool: PooledBy = "geometric-median",
    excludes_family: ExcludesFamily = True,
) -> Verdict:
    """Let jurors judge each answer alone, pool their grades, and take the best answer.

    Use it when you need a judgement of answers that no single judge decides, best with small models
    of several families; one juror's model for all seats gives one judge's errors three times.

    Each juror reads one answer at a time, and none of the other jurors. By the geometric median a
    minority of jurors cannot move the pooled grades beyond those of the others. A judgement that
    cannot be read does not count. By right or wrong an answer passes that more than half of its
    jurors call right; where none passes, there is no verdict.

    Differs:
        - Of both papers the abstract or a summary was to be had, not the text: prompts and criteria
          are ours.
        - A model's family is read from its name. Where that leaves an answer without jurors, all
          jurors judge it, and the count says so.
        - The papers' juries judge given texts; here these are the members' answers.
    """
    members = debate.seat("member", agents, remembers=False)
    seated = debate.seat("juror", jurors, debater=False, remembers=False)
    answers = await debate.everyone(members, "answer")
    graded = _list_criteria(criteria)
    step = "judge" if scale == "binary" else "grade"
    choose = _choose_jurors if excludes_family else _take_all
    asked = [choose(debate, view, seated) for view in answers]

    def judge(juror: Agent, view: View) -> Coroutine[Any, Any, View]:
        shown = view.relabel("The answer", view.answer, view.turn.round)
        return debate.ask(juror, step, other=shown, in_round=2, criteria=", ".join(graded))

    pairs = [(juror, view) for view, some in zip(answers, asked, strict=True) for juror in some]
    said = Views(await gather_all([judge(*pair) for pair in pairs]))
    of = [
        _Judgement(view, Views(said[i] for i, pair in enumerate(pairs) if pair[1] is view))
        for view in answers
    ]
    if scale == "binary":
        return _decide_by_votes(debate, of)
    return _decide_by_grades(debate, of, graded, pool)


class _Judgement(NamedTuple):
    """An answer, and what its jurors say of it."""

    answer: View
    said: Views

    @property
    def name(self) -> str:
        return self.answer.agent.seat.agent


def _list_criteria(text: str) -> list[str]:
    return [each.strip().casefold() for each in text.split(",")]


def _take_all(_: Debate, __: View, jurors: list[Agent]) -> list[Agent]:
    return jurors


def _choose_jurors(debate: Debate, view: View, jurors: list[Agent]) -> list[Agent]:
    """Return the jurors of an answer, and record those that its model's family excludes."""
    family = find_family(view.turn.model)
    kin = [each for each in jurors if find_family(each.seat.model) == family]
    if not kin:
        return jurors
    name = view.agent.seat.agent
    if len(kin) == len(jurors):
        debate.leave_out([], f"all jurors are of {name}'s model family, {family}: all judge it")
        return jurors
    debate.leave_out(kin, f"of the model family of {name}, {family}")
    return [each for each in jurors if each not in kin]


def _decide_by_votes(debate: Debate, judged: list[_Judgement]) -> Verdict:
    """Return the answer that most of its jurors call right; a tie of its jurors is a no."""
    shares = {}
    for each in judged:
        found = [view.get(Grades) for view in each.said]
        votes = [grades.right for grades in found if grades and grades.right is not None]
        if votes:
            shares[each.name] = votes.count(True) / len(votes)
    _record(debate, shares, sum(len(each.said) for each in judged), "share of jurors who say right")
    best = max(judged, key=lambda each: shares.get(each.name, -1.0))
    passes = shares.get(best.name, 0.0) > 1 / 2
    for view in best.said:
        own = view.get(Grades)
        if own and own.right is not None and own.right != passes:
            word = "right" if own.right else "wrong"
            debate.record_dissent(view, f"judges the answer of {best.name} {word}")
    if not passes:
        return Verdict(answer=None, by="jury: none passes" if shares else "jury: no judgements")
    return verdict_from(best.answer, by="jury")


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
            why = f"grades the answer of {best.name} far below the others"
            debate.record_dissent(view, why, signal=mark, threshold=bound)
    return verdict_from(best.answer, by="jury")


def _record(debate: Debate, scores: dict[str, float], ballots: int, why: str) -> None:
    ordered = dict(sorted(scores.items(), key=lambda each: -each[1]))
    best = [*ordered.values()][:2]
    lead = round(best[0] - best[1], 6) if len(best) > 1 else None
    rounded = {name: round(score, 6) for name, score in ordered.items()}
    debate.record_count(Standings(scores=rounded, lead=lead, ballots=ballots), why)
