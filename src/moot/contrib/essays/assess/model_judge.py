"""Putting essays to a judge: every question that is asked about them, as debates of a run.

After "Debate-to-Write", section 3.3 and appendix B.1. The points of each essay are asked for, five
at the most; each essay is graded by relevance and by preference, as in the paper; and any two arms'
essays on one proposition are compared by the same, in both orders and with ties allowed, as human
judges compare them in its table 2.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple

from moot import Budget, InputError, Question, Study, Transcript
from moot.contrib.essays.assess.essay_grades import EssayGrade, read_grade
from moot.contrib.essays.assess.preference import Comparison, Winner
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.run_essays import ASPECTS, POINTS, DatasetArm, Essay
from moot.extend.protocols import Pack, protocols
from moot.extend.records import Arm, DebateRow, RunRow, decode_study
from moot.extend.studies import ListedPlan, Task

PROTOCOL = "single"
"""The protocol of a judge of whom nothing else is said."""
PACK = "essays"
TRIES = 3
"""How often a single agent is asked for a grade, until its reply has a number."""
JUDGES = (POINTS, *ASPECTS)
"""The roles that can have a model of their own."""
_WINNERS: tuple[Winner, ...] = ("first", "second", "tie")


class Judged(NamedTuple):
    """The judgements that a judge has made so far.

    Attributes:
        points: of each essay that has been asked about, in words; none where none was read.
        comparisons: those that were held, failed ones included as unread.
        grades: the same of these.
    """

    points: dict[Essay, tuple[str, ...]]
    comparisons: list[Comparison]
    grades: list[EssayGrade]


class Judging(ListedPlan):
    """The plan of all that is asked about the essays of a run; its debates are its own.

    The points come first, then the grades, then, proposition by proposition, the comparisons.
    Nothing waits for anything else.

    Args:
        row: the run.
        essays: its essays.
        model: of every agent that has none of its own.
        protocol: by which essays are graded and compared; points are always asked of one agent.
        settings: of the protocol, beside the model.
        models: another model for the points, or for an aspect, by its name.
        pairs: how many essays of each arm are compared on a proposition, at least 1.
        grades: how many are graded; None for all.
        prompts: a file of prompts laid over those of the pack ``essays``.
        budget: what it may cost.

    Attributes:
        size: how many debates there are.
        essays: those of the run.
    """

    def __init__(
        self,
        row: RunRow,
        essays: Sequence[Essay],
        model: str,
        *,
        protocol: str = PROTOCOL,
        settings: Mapping[str, Any] = {},
        models: Mapping[str, str] = {},
        pairs: int = 1,
        grades: int | None = None,
        prompts: Path | None = None,
        budget: Budget | None = None,
    ) -> None:
        if pairs < 1:
            raise InputError(f"pairs = {pairs}: must be at least 1")
        if grades is not None and grades < 0:
            raise InputError(f"grades = {grades}: must be at least 0")
        others = protocols.names() if prompts else ()
        self._pack = Pack.load(PACK, beside=Path(__file__), overlay=prompts, protocols=others)
        where = f"run {row.key}: judge"
        once = {"temperature": 0.0} if protocol == PROTOCOL else {}
        again = {**once, "tries": TRIES} if protocol == PROTOCOL else {}

        def arm(name: str, about: str, by: str, given: Mapping[str, Any]) -> Arm:
            chosen = {**given, "model": models.get(about, model)}
            return Arm(
                name=name, protocol=by, settings=protocols.get(by).check(chosen, where=where)
            )

        arms = (
            arm(POINTS, POINTS, PROTOCOL, {"style": "simple", "temperature": 0.0}),
            *(arm(each, each, protocol, {**once, **settings}) for each in ASPECTS),
            *(arm(_grade(each), each, protocol, {**again, **settings}) for each in ASPECTS),
        )
        super().__init__(
            Study(
                name=f"{row.name}-judged",
                datasets=(),
                arms=arms,
                baseline=None,
                budget=budget or Budget(),
                file=where,
            )
        )
        self.essays = essays
        asked = {arm.name: EssaySettings.read(arm.settings) for arm in decode_study(row).arms}
        stances = {name: each.stance or "oppose" for name, each in asked.items()}
        tasks = chain(
            self._points(essays, arms[0]),
            self._grades(essays, grades, stances, arms[3:]),
            self._comparisons(essays, pairs, stances, arms[1:3]),
        )
        self.list_tasks(tasks)
        if any("few-shot" in arm.settings["style"] for arm in arms):
            raise InputError(f"{where}: style: there are no examples of essays; take simple or cot")
        digest = blake2b(
            repr((row.key, self.key, pairs, grades, self._pack.digest)).encode(), digest_size=5
        )
        self.key = f"{self.key.rpartition('-')[0]}-{digest.hexdigest()}"

    def _points(self, essays: Sequence[Essay], arm: Arm) -> Iterator[Task]:
        for essay in essays:
            text = self._render("points", essay=essay.text)
            question = Question(id=points_id(essay), kind="text", text=text)
            yield self.make_task(
                arm, question, dataset=essay.dataset, replicate=essay.replicate, pack=self._pack
            )

    def _grades(
        self,
        essays: Sequence[Essay],
        most: int | None,
        stances: Mapping[str, str],
        arms: Sequence[Arm],
    ) -> Iterator[Task]:
        for essay in essays:
            if most is not None and essay.replicate >= most:
                continue
            stance = stances[essay.arm]
            shown = self._render(
                "single", proposition=essay.proposition, stance=stance, essay=essay.text
            )
            for arm in arms:
                question = Question(
                    id=points_id(essay), kind="number", text=self._render(arm.name), context=shown
                )
                yield self.make_task(
                    arm, question, dataset=essay.dataset, replicate=essay.replicate
                )

    def _comparisons(
        self,
        essays: Sequence[Essay],
        pairs: int,
        stances: Mapping[str, str],
        arms: Sequence[Arm],
    ) -> Iterator[Task]:
        choices = tuple(self._render(name) for name in _WINNERS)
        for first, second, _ in pair_essays(essays, pairs):
            stance = stances[first.arm]
            if stance != stances[second.arm]:
                continue  # who argues for the proposition has another task
            shown = self._render(
                "pair",
                proposition=first.proposition,
                stance=stance,
                first=first.text,
                second=second.text,
            )
            for arm in arms:
                question = Question(
                    id=pair_id(first, second),
                    kind="choice",
                    text=self._render(arm.name),
                    context=shown,
                    choices=choices,
                )
                yield self.make_task(
                    arm, question, dataset=first.dataset, replicate=first.replicate
                )

    def _render(self, step: str, **slots: str) -> str:
        return self._pack.step(step).render(slots).strip()


def pair_essays(
    essays: Sequence[Essay], most: int | None = None
) -> Iterator[tuple[Essay, Essay, Literal[0, 1]]]:
    """Yield the essays that are compared, of any two arms on each proposition, in both orders.

    Args:
        essays: of a run.
        most: how many pairs there are of two arms on a proposition: the first replicates that both
            have; None for all.

    Yields:
        The essay shown first, the one shown second, and which of the two orders this is.
    """
    by_place: dict[DatasetArm, dict[str, dict[int, Essay]]] = {}
    for each in essays:
        place = by_place.setdefault((each.dataset, each.question), {})
        place.setdefault(each.arm, {})[each.replicate] = each
    for arms in by_place.values():
        for one, other in combinations(arms.values(), 2):
            for replicate in sorted(one.keys() & other.keys())[:most]:
                yield one[replicate], other[replicate], 0
                yield other[replicate], one[replicate], 1


def _grade(aspect: str) -> str:
    """Return the arm under which essays are graded by an aspect; its prompt has the same name."""
    return f"{aspect}-grade"


def points_id(essay: Essay, run: str = "") -> str:
    """Return the id of the questions about a single essay; ``run`` as of ``pair_id``."""
    return f"{essay.question}: {_own_name(essay, run)}"


def pair_id(first: Essay, second: Essay, run: str = "") -> str:
    """Return the id of the question about two essays; ``run``: theirs, where runs are joined."""
    return f"{first.question}: {_own_name(first, run)} / {_own_name(second, run)}"


def _own_name(essay: Essay, run: str) -> str:
    """Return the name that the arm of an essay has in its run."""
    return essay.arm.removesuffix(f" · {run}")


def read_judgements(debates: Iterable[DebateRow], essays: Sequence[Essay], run: str) -> Judged:
    """Return the judgements of a judge, without those on essays that have changed since.

    Args:
        debates: of the judge.
        essays: of one or more runs.
        run: the key of the run of which essays were judged.
    """
    held = {(row.arm, row.dataset, row.question, row.replicate): row.transcript for row in debates}

    def find(arm: str, question: str, *about: Essay) -> Transcript | None:
        found = held.get((arm, about[0].dataset, question, about[0].replicate))
        asked = f"{found.question.context}\n{found.question.text}" if found else ""
        return found if all(each.text.strip() in asked for each in about) else None

    judged = Judged({}, [], [])
    for essay in essays:
        if said := find(POINTS, points_id(essay, run), essay):
            judged.points[essay] = parse_points(said.verdict.text) if said.verdict else ()
        for aspect in ASPECTS:
            if said := find(_grade(aspect), points_id(essay, run), essay):
                judged.grades.append(
                    EssayGrade(
                        question=f"{essay.dataset}/{essay.question}",
                        aspect=aspect,
                        arm=essay.arm,
                        replicate=essay.replicate,
                        value=read_grade(said.verdict.answer if said.verdict else None),
                        asked=len(said.turns) if said.opened.protocol == PROTOCOL else 1,
                    )
                )
    for first, second, order in pair_essays(essays):
        for aspect in ASPECTS:
            if said := find(aspect, pair_id(first, second, run), first, second):
                letter = (said.verdict.answer if said.verdict else None) or ""
                judged.comparisons.append(
                    Comparison(
                        question=f"{first.dataset}/{first.question}",
                        aspect=aspect,
                        first_arm=first.arm,
                        second_arm=second.arm,
                        replicate=first.replicate,
                        winner=dict(zip("ABC", _WINNERS, strict=True)).get(letter),
                        order=order,
                    )
                )
    return judged


MOST_POINTS = 5
"""The most points of an essay that count."""
_BULLET = re.compile(r"^(?:[-*•–—>#]+|\(?\d{1,2}[.):]|[(\[]\w[)\]])\s*")
_LEAD = re.compile(r"^(?:final answer|points?(?: \d+)?)\s*:\s*", re.IGNORECASE)


def parse_points(text: str) -> tuple[str, ...]:
    """The points that a reply lists, a line each, without bullet or number; the first five.

    A line that only announces a list, ending in a colon, is no point where others follow.
    """
    lines = [
        _LEAD.sub("", _BULLET.sub("", line.strip())).replace("**", "").strip(" *_`")
        for line in text.splitlines()
    ]
    kept = [line for line in lines if any(map(str.isalnum, line))]
    points = [line for line in kept if not line.endswith(":")] or kept
    return tuple(dict.fromkeys(points))[:MOST_POINTS]
