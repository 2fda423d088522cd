"""The figures of a sequential study's debates and votes, by question in the drawn order.

There is one confidence sequence for each method and dataset: it gives the interval, the class and
the end. A question counts as soon as all of it is there and all questions before it have counted.
So it does not matter which debate ends first.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from msgspec.structs import replace

from moot.core.display_text import format_some, format_things, on_one_line
from moot.core.events import Transcript, Turn
from moot.core.results import ArmResult, Results
from moot.core.stored import RunRow, SequentialTerms, StudyRow
from moot.core.worth import (
    AskedQuestions,
    Estimate,
    MethodVerdict,
    Rest,
    Statement,
    Stopped,
    Unread,
    Vote,
    Warned,
)
from moot.parsing.same import is_correct
from moot.statistics.accuracies import Key, mean_over_questions
from moot.statistics.sequences import classify, open_sequence
from moot.studies.equal_budget import PoolDraws
from moot.studies.lab import Lab
from moot.studies.worth_sentence import describe_statement

FEW = 50
"""Questions below which hardly any difference can be shown."""
LOST = 0.1
"""The share of failed or unread debates from which a warning says so."""
_AGAINST = 3
"""Questions on which all agree against the right answer, from which a warning says so."""
_NAMED = 3
_TWO = 2


class DebateFigures(NamedTuple):
    """The figures of a debate.

    Attributes:
        right: 1 or 0; a failed debate is wrong.
        tokens: prompt and completion; None where unknown.
        cost: in US dollars; None where unknown.
        failed: whether it has no verdict.
        answer: of the verdict; None where it cannot be read.
        replies: how many it has.
        first: tokens of the first of them; None where unknown.
    """

    right: float
    tokens: float | None
    cost: float | None
    failed: bool
    answer: str | None
    replies: int
    first: float | None = None

    @classmethod
    def of(cls, transcript: Transcript) -> Self:
        """Return the figures of a transcript."""
        verdict, turns = transcript.verdict, transcript.turns
        answer = None if verdict is None else verdict.answer
        return cls(
            right=float(is_correct(answer, transcript.question)),
            tokens=_add(map(_count_tokens, turns)),
            cost=_add(turn.cost for turn in turns),
            failed=verdict is None,
            answer=answer,
            replies=len(turns),
            first=_count_tokens(turns[0]) if turns else None,
        )


def _count_tokens(turn: Turn) -> float | None:
    if turn.prompt_tokens is None or turn.completion_tokens is None:
        return None
    return turn.prompt_tokens + turn.completion_tokens


def _add(values: Iterable[float | None]) -> float | None:
    """Return the sum; None where a value is unknown."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def find_samples(debate: DebateFigures, drawn: PoolDraws) -> tuple[int, int]:
    """Return the samples that a debate's tokens give its vote, and the number that it lacks.

    Where tokens are unknown, there are as many samples as the debate has replies.
    """
    if debate.tokens is not None and (found := drawn.buy("tokens", debate.tokens)) is not None:
        return found, drawn.count_lacking("tokens", debate.tokens)
    return min(debate.replies, len(drawn)), max(0, debate.replies - len(drawn))


@dataclass(slots=True)
class AskedQuestion:
    """One question, as far as its debates and votes are there.

    Attributes:
        debates: by arm and replicate.
        votes: by arm and replicate, the samples.
    """

    debates: dict[tuple[str, int], DebateFigures] = field(default_factory=dict)
    votes: dict[tuple[str, int], PoolDraws] = field(default_factory=dict)

    @property
    def is_against(self) -> bool:
        """Whether two methods or more and the vote have one answer, which is not the right one."""
        answers = [each.answer for each in self.debates.values()]
        answers += [drawn.answer for drawn in self.votes.values()]
        wrong = not any(each.right for each in self.debates.values())
        return wrong and len(answers) > _TWO and None not in answers and len(set(answers)) == 1


class MethodTally:
    """One method on one dataset: its sequence, and all that counts beside it.

    Attributes:
        used: questions that have counted.
        settled_at: how many had when its class was no longer open; None where it is open.
    """

    def __init__(self, dataset: str, arm: str, method: str, terms: SequentialTerms) -> None:
        self.dataset, self.arm, self.method = dataset, arm, method
        self.pool, self._terms = terms.pools[arm], terms
        level = 1 - terms.rule.alpha / count_family(terms)
        self._sequence = open_sequence(level)
        self._right, self._voted = dict[Key, float](), 0.0
        self.used, self.settled_at = 0, None if level else 0
        self._won = self._lost = 0
        self._debates = self.failed = self._unread = self._unread_votes = 0
        self._samples, self.short, self.unsized = 0, 0, 0
        self._tokens: float | None = 0.0
        self._cost: float | None = 0.0
        self._spent: float | None = 0.0
        self._paid: float | None = 0.0
        self._squares = 0.0

    @property
    def mean(self) -> float:
        """The mean difference by now; 0 before the first question."""
        return self._sequence.mean or 0.0

    @property
    def discordance(self) -> float:
        """The mean of the squared differences."""
        return self._squares / max(1, self.used)

    def estimate_slowness(self, margin: float) -> float:
        """Return a figure that grows with the questions it takes to settle it.

        The nearer a mean to 0 or to the margin, and the more questions differ, the more it takes.
        """
        size = abs(self.mean)
        apart = min(size, abs(size - margin)) + 1 / self.used
        return (self.discordance + 1 / self.used) / apart**2

    @property
    def price(self) -> float | None:
        """US dollars that a question takes, the vote's included; None where that is unknown."""
        each = _add((self._mean(self._cost), self._mean(self._paid)))
        return None if each is None else each * self._terms.replicates

    @property
    def class_(self) -> str:
        """The class by its sequence so far."""
        return classify(self._sequence.low, self._sequence.high, self._terms.rule.margin)

    def add(self, question: AskedQuestion) -> bool:
        """Count a question; return whether all of it was there."""
        keys = [(self.arm, replicate) for replicate in range(self._terms.replicates)]
        debates = [question.debates.get(key) for key in keys]
        votes = [question.votes.get((self.pool, replicate)) for _, replicate in keys]
        pairs = [
            (debate, drawn)
            for debate, drawn in zip(debates, votes, strict=True)
            if debate is not None and drawn is not None
        ]
        if len(pairs) < len(keys):
            return False
        right = voted = 0.0
        for replicate, (debate, drawn) in enumerate(pairs):
            self._right[str(self.used), replicate] = debate.right
            right += debate.right
            voted += self._count_pair(debate, drawn)
        self.used += 1
        self._won += right > voted
        self._lost += right < voted
        gap = (right - voted) / len(pairs)
        self._sequence.add(gap)
        self._squares += gap * gap
        self._voted += voted
        if self.settled_at is None and self.class_ != "open":
            self.settled_at = self.used
        return True

    def _count_pair(self, debate: DebateFigures, drawn: PoolDraws) -> float:
        """Count a debate and its vote; return whether the vote is right."""
        samples, lacking = find_samples(debate, drawn)
        self._debates += 1
        self.failed += debate.failed
        self._unread += debate.answer is None
        self._unread_votes += drawn.is_unread(samples)
        self._samples += samples
        self.short += lacking > 0
        spent = drawn.sum_spent("tokens", samples)
        self.unsized += debate.tokens is None or spent is None
        self._tokens = _add((self._tokens, debate.tokens))
        self._cost = _add((self._cost, debate.cost))
        self._spent = _add((self._spent, spent))
        self._paid = _add((self._paid, drawn.sum_spent("cost", samples)))
        return drawn.right(samples)

    def _mean(self, total: float | None) -> float | None:
        return None if total is None or not self._debates else total / self._debates

    def judge(self) -> MethodVerdict:
        """Return the verdict on what has counted."""
        own, rule, right = self._sequence, self._terms.rule, mean_over_questions(self._right)
        return MethodVerdict(
            dataset=self.dataset,
            method=self.method,
            arm=self.arm,
            class_=classify(own.low, own.high, rule.margin),
            questions=self.used,
            won=self._won,
            lost=self._lost,
            tied=self.used - self._won - self._lost,
            unread=Unread(method=self._mean(self._unread), vote=self._mean(self._unread_votes)),
            difference=Estimate(estimate=own.mean, low=own.low, high=own.high, level=own.level),
            p=None,
            against=self.pool,
            opponent="a vote",
            tokens=None if not self.used else "fewer" if self.short or self.unsized else "equal",
            margin=rule.margin,
            failed=self.failed,
            accuracy=Estimate(estimate=right.mean, low=right.low, high=right.high),
            vote=Vote(
                accuracy=self._mean(self._voted),
                samples=self._mean(self._samples),
                tokens=self._mean(self._spent),
            ),
            tokens_per_question=self._mean(self._tokens),
            cost_per_question=self._mean(self._cost),
            short=self.short,
            settled_at=self.settled_at,
        )


def _warn_lost(verdicts: Sequence[MethodVerdict]) -> Iterator[Warned]:
    """Yield warnings on debates and votes that count as wrong, or that are not comparable."""
    for each in verdicts:
        name, unread = on_one_line(each.arm, 60), each.unread
        failed = each.failed / each.questions if each.questions else 0.0
        if failed >= LOST:
            yield Warned(
                code="failed",
                text=f"{name}: {failed:.0%} of its debates failed, and count as wrong",
            )
        shares = {"its debates": unread.method or 0.0, "the votes beside it": unread.vote or 0.0}
        if lost := [f"{share:.0%} of {who}" for who, share in shares.items() if share >= LOST]:
            yield Warned(
                code="unread",
                text=f"{name}: {' and '.join(lost)} have no readable answer, and count as wrong",
            )
        if each.short:
            yield Warned(
                code="vote-short",
                text=f"{name}: on {format_things(each.short, 'question')} the vote had fewer "
                "tokens than the debate",
            )
        elif each.tokens == "fewer":
            yield Warned(
                code="tokens-unknown",
                text=f"{name}: its tokens are unknown, so the vote had as many samples as the "
                "debate had replies",
            )


def count_family(terms: SequentialTerms) -> int:
    """Return the number of sequences that share the study's alpha: methods × datasets."""
    return max(1, len(terms.pools) * len(terms.order))


class Board:
    """All methods on all datasets, by the questions that were taken in.

    Args:
        terms: of the study.
        study: as it is kept.
    """

    def __init__(self, terms: SequentialTerms, study: StudyRow) -> None:
        self._terms, self._study = terms, study
        protocols = {arm.name: arm.protocol for arm in study.arms}
        self._asked: dict[str, dict[str, AskedQuestion]] = {label: {} for label in terms.order}
        self.tallies = {
            (label, arm): MethodTally(label, arm, protocols.get(arm, ""), terms)
            for label in terms.order
            for arm in terms.pools
        }
        self._against = dict[str, list[str]]()

    def find(self, dataset: str, question: str) -> AskedQuestion:
        """Return a question of the study, to be filled."""
        return self._asked[dataset].setdefault(question, AskedQuestion())

    def count(self) -> None:
        """Let those questions count that are there, each in its turn."""
        for (dataset, _), tally in self.tallies.items():
            order, asked = self._terms.order[dataset], self._asked[dataset]
            while tally.used < len(order):
                found = asked.get(order[tally.used])
                if found is None or not tally.add(found):
                    break

    def list_open(self, dataset: str) -> list[str]:
        """Return the methods on a dataset that are not settled."""
        return [
            arm
            for (place, arm), tally in self.tallies.items()
            if place == dataset and tally.settled_at is None
        ]

    def _count_used(self) -> int:
        """Return the number of questions that have counted for any method."""
        most = dict.fromkeys(self._terms.order, 0)
        for (dataset, _), tally in self.tallies.items():
            most[dataset] = max(most[dataset], tally.used)
        return sum(most.values())

    def state(self, stopped: Stopped | None) -> Statement:
        """Return the statement on what has counted.

        Args:
            stopped: why the study has ended, where something else than its methods and questions
                ends it; None while it goes on.
        """
        terms, rule = self._terms, self._terms.rule
        verdicts = tuple(tally.judge() for tally in self.tallies.values())
        unique = sum(map(len, terms.order.values()))
        left = any(
            tally.settled_at is None and tally.used < len(terms.order[dataset])
            for (dataset, _), tally in self.tallies.items()
        )
        if all(tally.settled_at is not None for tally in self.tallies.values()):
            stopped = "settled"
        elif not left:
            stopped = "questions"
        found = Statement(
            sentence="",
            stopped=stopped,
            alpha=rule.alpha,
            margin=rule.margin,
            family=count_family(terms),
            order_seed=rule.seed,
            questions=AskedQuestions(
                file_sha256=terms.file_sha256,
                given=terms.given,
                unique=unique,
                used=self._count_used(),
            ),
            methods=verdicts,
            rest=self._find_rest() if stopped else None,
            warnings=tuple(self._warn(verdicts, unique, stopped)),
        )
        return replace(found, sentence=describe_statement(found))

    def _find_rest(self) -> Rest | None:
        """Return the questions that would settle the open methods; None where none is, or began.

        It is worked out for the method that takes longest, which costs more than all of its looks.
        """
        left = [each for each in self.tallies.values() if each.settled_at is None and each.used]
        if not left:
            return None
        from moot.statistics.planning import plan_rest  # of open ends alone

        rule, level = self._terms.rule, 1 - self._terms.rule.alpha / count_family(self._terms)
        last = max(left, key=lambda each: each.estimate_slowness(rule.margin))
        most = plan_rest(last.used, last.mean, last.discordance, level, rule.margin)
        if most is None:
            return Rest()
        prices = [each.price for each in left]
        cost = None if None in prices else most * sum(price or 0.0 for price in prices)
        return Rest(questions=most, cost=cost)

    def _warn(
        self, verdicts: Sequence[MethodVerdict], unique: int, stopped: Stopped | None
    ) -> Iterator[Warned]:
        """Yield warnings for the reader."""
        asked = self._terms.given
        if self._study.simulated:
            yield Warned(
                code="simulated",
                text="a simulated model answers here: this says nothing about any language model",
            )
        if asked > unique:
            told = f"{asked - unique:,} of {format_things(asked, 'question')}"
            yield Warned(
                code="equal-questions", text=f"{told} equal an earlier one, and were left out"
            )
        if unique < FEW:
            yield Warned(
                code="few-questions",
                text=f"with {format_things(unique, 'different question')} only a large difference "
                "can be shown",
            )
        yield from self._warn_against()
        yield from _warn_lost(verdicts)
        if stopped == "settled":
            yield Warned(
                code="estimate-at-stop",
                text="a study that ends when a difference shows sees it too large on average: "
                "rely on the range, not on its middle",
            )

    def _warn_against(self) -> Iterator[Warned]:
        """Warn where the answers on a question are all the same, and not the one that is right."""
        against = [
            name
            for dataset, asked in self._asked.items()
            for name in self._terms.order[dataset]
            if (found := asked.get(name)) is not None and found.is_against
        ]
        if len(against) < _AGAINST:
            return
        named = format_some([on_one_line(name, 30) for name in against], _NAMED)
        yield Warned(
            code="agree-against-answer",
            text=f"on {format_things(len(against), 'question')} all methods and the vote give one "
            f"answer, and the file another: check its answers to {named}",
        )


def read_statement(lab: Lab, row: RunRow, study: StudyRow) -> Statement:
    """Return the statement of the stored run of a sequential study.

    A run that was stopped before its end, and by no cap, counts as interrupted.
    """
    terms = study.sequential
    assert terms
    board, votes = Board(terms, study), set(terms.pools.values())
    for dataset in terms.order:
        for debate in lab.store.debates(row.id, dataset=dataset):
            key = debate.arm, debate.replicate
            place = board.find(dataset, debate.question)
            if debate.arm in votes:
                place.votes[key] = PoolDraws(debate.transcript)
            else:
                place.debates[key] = DebateFigures.of(debate.transcript)
    board.count()
    ended: Stopped = "cap" if study.cap else "interrupted"
    return board.state(None if row.status == "running" else ended)


def add_statement(found: Results, statement: Statement) -> Results:
    """Return the results of a sequential study with its statement and the verdicts in it.

    The p of arms are left out: they are valid for a planned number of questions alone.
    """
    blank = {"p": None, "p_holm": None, "smallest": None}

    def clear(arm: ArmResult) -> ArmResult:
        budgets = [
            replace(each, difference=replace(each.difference, **blank)) for each in arm.budget
        ]
        return replace(arm, budget=tuple(budgets))

    return replace(
        found,
        arms=tuple(map(clear, found.arms)),
        verdicts=statement.methods,
        statement=statement,
    )
