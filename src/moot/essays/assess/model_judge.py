"""Putting essays to a judge: every question that is asked about them, as debates of a run.

After "Debate-to-Write", section 3.3 and appendix B.1. The points of each essay are asked for, five
at the most, and any two arms' essays on one proposition are compared by relevance and by
preference. The paper has its model grade each essay by itself; here two are compared, in both
orders and with ties allowed, as human judges compare them in its table 2.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from moot import Budget, InputError, Question, Study, Verdict
from moot.core.stored import Arm, DebateRow, RunRow
from moot.debate import opening_values
from moot.debate.context import no_examples
from moot.debate.protocol import registry as protocols
from moot.essays.assess.preference import Comparison, Winner
from moot.essays.run_essays import ASPECTS, POINTS, Essay
from moot.prompts.packs import Pack, load_pack
from moot.studies.listed import ListedPlan
from moot.studies.plan import Task
from moot.studies.study_run import read_study

PROTOCOL = "single"
"""The protocol of a judge of whom nothing else is said."""
PACK = "essays"
_WINNERS: tuple[Winner, ...] = ("first", "second", "tie")


Key: TypeAlias = tuple[str, str, str, int]
"""A debate of the judge: its arm, dataset, question and replicate."""


class EssayJudge(NamedTuple):
    """Who judges, and what.

    Attributes:
        model: of every agent that has none of its own.
        protocol: by which comparisons are judged; points are always asked of one agent.
        settings: of the protocol, beside the model.
        pairs: how many essays of each arm are compared on a proposition, at least 1.
        prompts: a file of prompts laid over those of the pack ``essays``.
    """

    model: str
    protocol: str = PROTOCOL
    settings: Mapping[str, Any] = {}
    pairs: int = 1
    prompts: Path | None = None


class EssayPair(NamedTuple):
    """One comparison: two essays in the order in which they are shown."""

    aspect: str
    first: Essay
    second: Essay
    order: Literal[0, 1]

    def comparison(self, winner: Winner | None) -> Comparison:
        """What came of it."""
        return Comparison(
            question=proposition_key(self.first),
            aspect=self.aspect,
            first_arm=self.first.arm,
            second_arm=self.second.arm,
            replicate=self.first.replicate,
            winner=winner,
            order=self.order,
        )


class Judged(NamedTuple):
    """What the judge has said so far.

    Attributes:
        points: of each essay that has been asked about, in words; none where none was read.
        comparisons: those that were held, failed ones included as unread.
    """

    points: dict[Essay, tuple[str, ...]]
    comparisons: list[Comparison]


class Judging(ListedPlan):
    """The plan of all that is asked about the essays of a run; its debates are its own.

    The points come first, then, proposition by proposition, the comparisons. Nothing waits for
    anything else.

    Attributes:
        own: its debates, in order.
        size: how many there are.
        pairs: how many comparisons there are.
    """

    def __init__(
        self,
        row: RunRow,
        essays: Sequence[Essay],
        judge: EssayJudge,
        *,
        budget: Budget | None = None,
    ) -> None:
        if judge.pairs < 1:
            raise InputError(f"pairs = {judge.pairs}: must be at least 1")
        others = protocols.names() if judge.prompts else ()
        self._pack = load_pack(PACK, beside=Path(__file__), overlay=judge.prompts, protocols=others)
        where = f"run {row.key}: judge"
        given = {"temperature": 0.0} if judge.protocol == PROTOCOL else {}
        settings = protocols.get(judge.protocol).check(
            {**given, **judge.settings, "model": judge.model}, where=where
        )
        asks = {"model": judge.model, "style": "simple", "temperature": 0.0}
        asking = protocols.get(PROTOCOL).check(asks, where=where)
        arms = (
            Arm(name=POINTS, protocol=PROTOCOL, settings=asking),
            *(Arm(name=each, protocol=judge.protocol, settings=settings) for each in ASPECTS),
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
        self._asked: dict[Key, Essay | EssayPair] = {}
        stances = {arm.name: arm.settings.get("stance", "oppose") for arm in read_study(row).arms}
        self.own_tasks = [
            *self._points(essays, arms[0]),
            *self._comparisons(essays, judge, stances, arms[1:]),
        ]
        self.own_tasks = [
            task._replace(number=number) for number, task in enumerate(self.own_tasks)
        ]
        self.size = len(self.own_tasks)
        self.pairs = sum(task.arm.name != POINTS for task in self.own_tasks)
        if any("few-shot" in arm.settings["style"] for arm in arms):
            raise InputError(f"{where}: style: there are no examples of essays; take simple or cot")
        for task in self.own_tasks[-1:]:
            opening_values.check_opening(task.question, task.arm.settings["opening"])
        digest = blake2b(
            repr((row.key, self.key, judge.pairs, self._pack.digest)).encode(), digest_size=5
        )
        self.key = f"{self.key.rpartition('-')[0]}-{digest.hexdigest()}"

    def read(self, rows: Iterator[DebateRow]) -> Judged:
        """What the store has of these debates; those about essays that have changed since are not.

        Args:
            rows: every debate of the run.
        """
        shown = {_key(task): task.question for task in self.own_tasks}
        held: dict[Key, Verdict | None] = {}
        for row in rows:
            key = (row.arm, row.dataset, row.question, row.replicate)
            transcript = row.transcript
            if shown.get(key) == transcript.question:
                held[key] = transcript.verdict
        judged = Judged({}, [])
        for key in filter(held.__contains__, shown):  # in the order of the plan
            asked, verdict = self._asked[key], held[key]
            if isinstance(asked, Essay):
                judged.points[asked] = parse_points(verdict.text) if verdict else ()
            else:
                letter = verdict.answer if verdict else None
                winner = _WINNERS["ABC".index(letter)] if letter in ("A", "B", "C") else None
                judged.comparisons.append(asked.comparison(winner))
        return judged

    def _points(self, essays: Sequence[Essay], arm: Arm) -> Iterator[Task]:
        for essay in essays:
            question = Question(
                id=f"{essay.question}: {essay.arm}",
                kind="text",
                text=self._render("points", essay=essay.text),
            )
            yield self._task(essay, question, arm, self._pack, essay)

    def _comparisons(
        self,
        essays: Sequence[Essay],
        judge: EssayJudge,
        stances: Mapping[str, str],
        arms: Sequence[Arm],
    ) -> Iterator[Task]:
        choices = tuple(self._render(name) for name in _WINNERS)
        own = protocols.get(judge.protocol).pack()
        for one, other in pair_essays(essays, judge.pairs):
            if stances[one.arm] != stances[other.arm]:
                continue  # who argues for the proposition has another task
            for order, (first, second) in enumerate(((one, other), (other, one))):
                shown = self._render(
                    "pair",
                    proposition=one.proposition,
                    stance=stances[one.arm],
                    first=first.text,
                    second=second.text,
                )
                for arm in arms:
                    question = Question(
                        id=f"{one.question}: {first.arm} / {second.arm}",
                        kind="choice",
                        text=self._render(arm.name),
                        context=shown,
                        choices=choices,
                    )
                    pair = EssayPair(arm.name, first, second, 1 if order else 0)
                    yield self._task(pair, question, arm, own, one)

    def _task(
        self, asked: Essay | EssayPair, question: Question, arm: Arm, pack: Pack, essay: Essay
    ) -> Task:
        task = Task(
            number=0,
            dataset=essay.dataset,
            question=question,
            arm=arm,
            protocol=protocols.get(arm.protocol),
            pack=pack,
            overlay=None,
            examples=no_examples,
            replicate=essay.replicate,
        )
        self._asked[_key(task)] = asked
        return task

    def _render(self, step: str, **slots: str) -> str:
        return self._pack.step(step).render(slots).strip()


def pair_essays(essays: Sequence[Essay], most: int) -> Iterator[tuple[Essay, Essay]]:
    """The essays that are compared, of any two arms on each proposition.

    Args:
        essays: of a run.
        most: how many pairs there are of two arms on a proposition: the first replicates that both
            have.
    """
    by_place: dict[str, dict[str, dict[int, Essay]]] = {}
    for each in essays:
        by_place.setdefault(proposition_key(each), {}).setdefault(each.arm, {})[each.replicate] = (
            each
        )
    for arms in by_place.values():
        for one, other in combinations(arms.values(), 2):
            for replicate in sorted(one.keys() & other.keys())[:most]:
                yield one[replicate], other[replicate]


def proposition_key(essay: Essay) -> str:
    """The proposition of an essay, by a name that no other has in the run."""
    return f"{essay.dataset}/{essay.question}"


def _key(task: Task) -> Key:
    return task.arm.name, task.dataset, task.question.id, task.replicate


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
