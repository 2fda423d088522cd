"""Running a sequential study: block by block, until each method is settled.

A block has questions of each dataset in the drawn order. On each question all methods debate that
are not settled there, then votes are taken: each of as many samples as the tokens of the dearest
debate give. The samples are draws of one prompt, in order, so that a cheaper debate's vote has the
first of them, and the first round of a society of minds shares them. After each block all questions
that are there count, in their order; then it is looked at what is open.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from moot.core.errors import BudgetReached
from moot.core.events import Transcript
from moot.core.ports import Model
from moot.core.recorded_settings import CastSettings, read_settings
from moot.core.stored import DebateRow, SequentialTerms, decode_study
from moot.core.worth import Statement, Stopped
from moot.runtime.path import CallPath
from moot.studies.all_debates import run_here
from moot.studies.equal_budget import PoolDraws
from moot.studies.finished_debates import FinishedDebates
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.progress_counts import RunProgress
from moot.studies.sequential_figures import AskedQuestion, Board, DebateFigures, find_samples
from moot.studies.task import Task

Look = Callable[[Statement], None]
MOST_SAMPLES = 10_000
"""Samples that a vote can have; a debate whose tokens give more is short of some."""
_PASSES = 20
"""The most often that a vote is given further samples."""
_FEW = 3
"""Failed debates of a block from which they end a study, where all of its debates failed."""
_MANY = 20
"""Debates of a block from which they end a study, where none has a readable answer."""


async def run_blocks(
    lab: Lab,
    plan: Plan,
    progress: RunProgress,
    finished: FinishedDebates,
    look: Look | None = None,
) -> tuple[str, Statement]:
    """Run a sequential study to its end.

    Args:
        lab: where its models and its store are.
        plan: of the study.
        progress: counts debates and votes.
        finished: those that need not be run again.
        look: is given the statement after each block.

    Returns:
        Why it stopped before its end, or an empty text; and the statement at its end.
    """
    terms = plan.sequential
    assert terms is not None
    study = decode_study(lab.store.find_run(plan.key))
    board = Board(terms, study)
    stopped, pace = "", _Pace(lab)
    ended: Stopped | None = None
    for places in _list_blocks(terms, board):
        block = Block(lab, plan, board, finished, progress)
        for dataset, at in places:
            block.add(dataset, at)
        stopped = await block.run(pace)
        board.count()
        if stopped:
            ended = "cap"
        elif stopped := block.explain_failure():
            ended = "interrupted"
        if look is not None:
            look(board.state(ended))
        if stopped:
            break
    return stopped, board.state(ended or "questions")


def _list_blocks(terms: SequentialTerms, board: Board) -> Iterator[list[tuple[str, int]]]:
    """Yield the questions of each block: datasets, and places in their drawn orders."""
    begun = 0
    while True:
        end = begun + terms.rule.block
        places = [
            (dataset, at)
            for at in range(begun, end)
            for dataset in terms.order
            if at < len(terms.order[dataset]) and board.list_open(dataset)
        ]
        if not places:
            return
        yield places
        begun = end


class _Pace:
    """The number of questions at once, so that a cap leaves few of them unfinished.

    Without a cap that is all of a block. Else the first question goes alone, then as many as half
    of what is left pays for, by the dearest question so far.

    Args:
        lab: pays for them.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab, self.begun = lab, 0
        self._before = self._list_spent()
        self._dearest = [0.0] * len(self._before)
        self._questions = 0

    def _list_spent(self) -> list[float]:
        return [cap.spent / cap.most if cap.most else 1.0 for cap in self._lab.path.guard.caps()]

    def choose(self) -> int | None:
        """Return the number of questions that may run next; None for all."""
        spent = self._list_spent()
        if not spent:
            return None
        if self._questions:
            each = [
                (now - then) / self._questions
                for now, then in zip(spent, self._before, strict=True)
            ]
            self._dearest = list(map(max, self._dearest, each))
        self._before, self._questions = spent, 0
        rooms = [
            (1 - now) / dearest / 2
            for now, dearest in zip(spent, self._dearest, strict=True)
            if dearest
        ]
        return max(1, int(min(rooms, default=1.0)))

    def note(self, questions: int) -> None:
        """Take in that so many questions have run since the last choice."""
        self._questions += questions


class BlockDebate:
    """A debate of a block, or a vote.

    Args:
        task: the debate.
        question: takes in what comes of it.
        samples: of a vote; None for a debate.

    Attributes:
        task: the debate.
        ended: whether it is there.
        failure: why it failed; None where it did not.
        stopped: why it did not run to its end.
    """

    def __init__(
        self, task: Task, question: AskedQuestion, samples: "VoteSamples | None" = None
    ) -> None:
        self.task, self._question, self._samples = task, question, samples
        self.done, self.ended = asyncio.Event(), False
        self.failure: str | None = None
        self.stopped: BaseException | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """As of its task."""
        return self.task.key

    @property
    def figures(self) -> DebateFigures:
        """Its figures, where it has ended."""
        return self._question.debates[self.task.arm.name, self.task.replicate]

    async def run(self, path: CallPath, model: Callable[[str], Model]) -> Transcript:
        """Run it and return its transcript."""
        try:
            if self._samples is None:
                transcript = await self.task.run(path, model)
            else:
                transcript = await self._samples.draw(self.task, path, model)
            self.take(transcript)
        except BaseException as error:
            self.stopped = error
            raise
        finally:
            self.done.set()
        return transcript

    def fits(self, transcript: Transcript) -> bool:
        """Whether a recorded transcript, which would come out the same again, is enough."""
        return self._samples is None or self._samples.fit(transcript)

    def take(self, transcript: Transcript) -> None:
        """Take in what came of it."""
        place = self.task.arm.name, self.task.replicate
        if self._samples is not None:
            self._question.votes[place] = self._samples.drawn or PoolDraws(transcript)
            return
        self._question.debates[place] = DebateFigures.of(transcript)
        failed = transcript.failed
        self.failure, self.ended = None if failed is None else failed.reason, True
        self.done.set()


class VoteSamples:
    """The samples of a vote, as many as debates' tokens give.

    Args:
        debates: beside which the vote is taken.

    Attributes:
        drawn: the samples; None before there are any.
    """

    def __init__(self, debates: Iterable[BlockDebate]) -> None:
        self._debates = list(debates)
        self.drawn: PoolDraws | None = None

    async def draw(self, task: Task, path: CallPath, model: Callable[[str], Model]) -> Transcript:
        """Draw them once the debates have ended, and return their transcript."""
        for debate in self._debates:
            await debate.done.wait()
            if debate.stopped is not None:
                raise BudgetReached(str(debate.stopped))
        samples = self._guess_samples()
        for _ in range(_PASSES):
            transcript = await _draw(task, min(samples, MOST_SAMPLES)).run(path, model)
            self.drawn = PoolDraws(transcript)
            lacking = self._count_lacking(self.drawn)
            if not lacking or transcript.failed or samples >= MOST_SAMPLES:
                break
            samples += lacking
        return transcript

    def _guess_samples(self) -> int:
        """Return the number of samples to begin with: rather too few than too many.

        The first reply of a debate is mostly to the prompt of a sample.
        """
        figures = [debate.figures for debate in self._debates]
        most = max([1, *(each.replies for each in figures)])
        price = max((each.first or 0.0 for each in figures), default=0.0)
        budget = max((each.tokens or 0.0 for each in figures), default=0.0)
        return max(most, int(budget / price)) if price else most

    def _count_lacking(self, drawn: PoolDraws) -> int:
        """Return the number of further samples that the dearest debate would have bought."""
        return max(find_samples(debate.figures, drawn)[1] for debate in self._debates)

    def fit(self, transcript: Transcript) -> bool:
        """Take recorded samples; return whether they are as many as debates' tokens give."""
        self.drawn = PoolDraws(transcript)
        return all(debate.ended for debate in self._debates) and not self._count_lacking(self.drawn)


class Block:
    """The debates and votes of one block.

    Args:
        lab: has the store.
        plan: has the debates.
        board: takes in what came of them.
        finished: debates that need not be run again.
        progress: counts those.
    """

    def __init__(
        self, lab: Lab, plan: Plan, board: Board, finished: FinishedDebates, progress: RunProgress
    ) -> None:
        self._lab, self._plan, self._board = lab, plan, board
        self._finished, self._progress = finished, progress
        self._left: list[list[BlockDebate]] = []
        self._debates: list[BlockDebate] = []
        self._kept = 0

    def add(self, dataset: str, at: int) -> None:
        """Add a question: the debates of open methods and of arms beside them, then the votes."""
        pools, open_ = self._plan.study.pools, self._board.list_open(dataset)
        votes = {pools[arm] for arm in open_}
        tasks = self._plan.list_tasks_on(dataset, at)
        question = self._board.find(dataset, tasks[0].question.id)
        stored = self._read_stored(dataset, tasks[0].question.id)
        debates = dict[tuple[str, int], BlockDebate]()
        self._left.append([])
        for task in tasks:
            name = task.arm.name
            if name in pools.values() or (name in pools and name not in open_):
                continue
            debates[name, task.replicate] = debate = BlockDebate(task, question)
            self._debates.append(debate)
            self._take_stored(debate, stored)
        for task in tasks:
            if task.arm.name in votes:
                own = [debates[arm, task.replicate] for arm in open_ if pools[arm] == task.arm.name]
                self._take_stored(BlockDebate(task, question, VoteSamples(own)), stored)

    def _read_stored(self, dataset: str, question: str) -> Mapping[tuple[str, int], DebateRow]:
        """Return the stored debates of a question, where any need not be run again."""
        run = self._finished.run
        if not self._finished.has_any:
            return {}
        rows = self._lab.store.debates(run, question=question, dataset=dataset)
        return {(row.arm, row.replicate): row for row in rows}

    def _take_stored(
        self, debate: BlockDebate, stored: Mapping[tuple[str, int], DebateRow]
    ) -> None:
        """Take a debate from the store if it would come out the same again, else plan it."""
        row = stored.get((debate.task.arm.name, debate.task.replicate))
        if row is not None and debate.task in self._finished and debate.fits(row.transcript):
            debate.take(row.transcript)
            self._progress.count_unchanged()
            self._kept += 1
        else:
            self._left[-1].append(debate)

    async def run(self, pace: _Pace) -> str:
        """Run what the store does not have; return why it stopped, or an empty text."""
        left = [debate for debate in self._left if debate]
        width, stopped = 2 * self._plan.debates_at_once(self._lab), ""
        while left and not stopped:
            many = pace.choose() or len(left)
            wave, left = left[:many], left[many:]
            debates = [
                self._number(debate, number)
                for number, debate in enumerate(chain.from_iterable(wave), pace.begun)
            ]
            stopped = await run_here(
                self._lab,
                iter(debates),
                len(debates),
                width,
                self._progress.count,
                find_origin=self._find_origin,
            )
            pace.begun += len(debates)
            pace.note(len(wave))
        return stopped

    @staticmethod
    def _number(debate: BlockDebate, number: int) -> BlockDebate:
        """Give a debate its place among all: calls of earlier ones go first."""
        debate.task = debate.task._replace(number=number)
        return debate

    def _find_origin(self, debate: BlockDebate) -> bytes | None:
        """Return the origin of a debate or a vote."""
        return self._finished.origins.find(debate.task)

    def explain_failure(self) -> str:
        """Return why no further block is worth its calls; empty where the block went well."""
        ended = [debate for debate in self._debates if debate.ended]
        failed = [debate.failure for debate in ended if debate.failure is not None]
        if len(failed) >= _FEW and len(failed) == len(ended):
            return f"all {len(failed)} debates of a block failed, the last of them: {failed[-1]}"
        if len(ended) < _MANY or any(debate.figures.answer is not None for debate in ended):
            return ""
        question = ended[-1].task.question.id
        return (
            f"none of the {len(ended)} debates of a block has a readable answer; see what they "
            f"say: moot show {self._plan.key} {question}"
        )


def _draw(task: Task, samples: int) -> Task:
    """Return a self-consistency of so many samples; a smaller one has the first of them.

    Samples beyond those of the arm are of its agents once more, in turn.
    """
    settings = {**task.arm.settings, "samples": samples}
    cast = read_settings(settings, CastSettings).cast
    if alone := [each for each in cast if "role" not in each]:
        turns = [*alone, *[{}] * (task.arm.settings["samples"] - len(alone))]
        roles = [each for each in cast if "role" in each]
        settings["cast"] = roles + [turns[seat % len(turns)] for seat in range(samples)]
    return task._replace(settings=task.settings.protocol.read(settings))
