"""The results of a run: one for every arm on every dataset."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from moot.core.display_text import format_things, on_one_line
from moot.core.notebook_display import NotebookDisplay, Row
from moot.core.worth import MethodVerdict, Statement, Unread


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over debates, with a 95 % interval over questions.

    Attributes:
        mean: None where nothing was measured.
        low: None, as ``high``, where fewer than two questions were measured.
        n: debates measured.
        questions: questions measured; the replicates of one question are not independent.
    """

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    questions: int = 0


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """An arm's accuracy minus the baseline's, on what both have debated.

    Attributes:
        mean: -1 to 1; None where there is no pair.
        low: None, as ``high``, where fewer than two questions are paired.
        pairs: (question, replicate) measured in both arms.
        questions: questions among them.
        better: questions that the arm has right more often than the baseline.
        worse: questions that it has right less often.
        p: of the exact test by changes of sign, which with one replicate is McNemar's of ``better``
            against ``worse``; None without a pair.
        p_holm: the same, corrected by Holm for all arms of the dataset that are so compared.
        smallest: the smallest difference that so many questions show in 80 % of studies at 5 %, if
            the arms differ as they did; None for too few questions.
    """

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    questions: int = 0
    better: int = 0
    worse: int = 0
    p: float | None = None
    p_holm: float | None = None
    smallest: float | None = None


class Flips(msgspec.Struct, frozen=True, kw_only=True):
    """How many debaters changed between their first and their last answer."""

    wrong_to_right: int = 0
    right_to_wrong: int = 0
    kept_right: int = 0
    kept_wrong: int = 0


class Variance(msgspec.Struct, frozen=True, kw_only=True):
    """The variance of one debate's accuracy over questions and replicates, in two parts.

    Attributes:
        question: between questions, 0 or more.
        seed: between the replicates of one question, 0 or more.
        share: the questions' part of the whole, 0 to 1; None where nothing varies.
    """

    question: float
    seed: float
    share: float | None


class EqualBudget(msgspec.Struct, frozen=True, kw_only=True):
    """Self-consistency with as much as a debate took, question by question, from shared draws.

    Attributes:
        matched: what was made equal.
        pool: the arm whose replies are the draws.
        samples: draws that the budget bought, per debate.
        spent: what they took, per debate, in tokens or US dollars.
        short: debates that could have bought more draws than the pool has.
        taken: what the debates themselves took, as ``spent``.
        accuracy: of the majority of these draws, over the debates both have.
        difference: the debate's accuracy minus it. Its p is corrected by Holm for all debates and
            datasets, and so is the smallest difference that it could show.
        wanted: draws that the dearest of these debates could have bought.
        unread: the shares of these debates and of these majorities without a readable answer.
        wide: the interval of the difference that holds for all methods of a study together, where
            a margin is stated.
        looked: while debates of the study are not in, the interval that holds at every look, for
            all methods together; else unset.
        own: the accuracy of the debates themselves, over those that both have.
        failed: those of them without a verdict.
    """

    matched: Literal["tokens", "cost"]
    pool: str
    samples: float
    spent: float
    short: int
    accuracy: Mean
    difference: Difference
    taken: float | None = None
    wanted: int = 0
    unread: Unread = Unread()
    wide: tuple[float, float] | None = None
    looked: tuple[float, float] | msgspec.UnsetType | None = msgspec.UNSET
    own: Mean = Mean()
    failed: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether the pool had draws enough, so that both sides took as much."""
        return not self.short


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """What a run did not pay for because the replies were in the ledger already.

    Attributes:
        calls: replies its debates used, each use counted.
        paid: those that this run was the first to record.
        cost: in US dollars, of the uses that were not paid for; None where a price is unknown.
        tokens: prompt and completion tokens of these; None where a count is unknown.
    """

    calls: int
    paid: int
    cost: float | None
    tokens: int | None


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A metric over the debates in which it is known.

    Attributes:
        total: their sum; None where it is known in none.
        known: the number of such debates.
    """

    total: float | None = None
    known: int = 0

    @property
    def mean(self) -> float | None:
        """Per debate in which it is known."""
        return None if self.total is None else self.total / self.known


class ArmResult(msgspec.Struct, frozen=True, kw_only=True):
    """One arm on one dataset.

    Attributes:
        simulated: True when any of its agents is no language model; every output says so.
        mixed: True when the run also has arms in which only language models take part.
        protocol: empty where it is not known.
        kind: what it is in comparisons, as of ``protocol``: ``debate``, ``society`` and ``single``,
            ``samples``, ``control``, which are no debates.
        models: that speak in it.
        n: debates, failed ones included.
        failed: debates without a verdict; they count as not correct.
        unparsed: debates whose verdict commits to no answer; they count as not correct.
        accuracy: the share of debates with a right verdict.
        first_accuracy: the same for the first debater's first answer.
        difference: to the baseline; None for the baseline itself.
        flips: None where no debater spoke twice.
        oracle_gap: the share of debates in which an agent was right and the verdict was not.
        calls: replies, paid for or replayed.
        replayed: those of them that came from the ledger.
        retries: attempts after the first, of replies and of calls that failed for good.
        prompt_tokens: over the debates in which the endpoint told them, as the other two.
        reasoning_tokens: the completion tokens that are hidden thought.
        thought_only: replies whose allowed tokens all went into hidden thought.
        batched: the replies that came in a batch.
        batch_saving: US dollars that these cost less than at the usual price.
        cost: in US dollars, as if nothing had been replayed.
        seconds: on the critical path.
        others: further metrics by name: all where they were asked for, as analyses do; at the end
            of a run those that are there by then.
        nodes: of a network, the share of debates in which each node's own verdict is right, as
            ``accuracy``; empty for every other protocol, as the next two.
        layers: of a network along a graph, the same over the nodes of each layer, from 1.
        sweeps: of a network whose nodes debate several times, the same over all nodes in each
            sweep, from 1, and over the debates that came so far.
        rounds: the share of debaters right in each round, from 1, over the debates and debaters
            that came so far.
        round_flips: how many debaters changed from the round before in which they spoke to this.
        variance: where there are replicates.
        budget: self-consistency at the same price, where the study has draws for it.
        baseline: the arm that ``difference`` is to, on its own models where the study has several;
            its own name where it is a baseline itself, and None where it is compared with none.
    """

    dataset: str
    arm: str
    simulated: bool
    n: int
    failed: int
    unparsed: int
    accuracy: Mean
    first_accuracy: float | None
    difference: Difference | None
    flips: Flips | None
    oracle_gap: float | None
    calls: int
    replayed: int
    retries: int
    prompt_tokens: Measure
    completion_tokens: Measure
    cached_tokens: Measure
    cost: Measure
    seconds: Measure
    others: dict[str, Measure]
    nodes: dict[str, Mean] = {}
    layers: dict[int, Mean] = {}
    sweeps: dict[int, Mean] = {}
    rounds: dict[int, Mean] = {}
    round_flips: dict[int, Flips] = {}
    variance: Variance | None = None
    budget: tuple[EqualBudget, ...] = ()
    reasoning_tokens: Measure = Measure()
    thought_only: int = 0
    batched: int = 0
    batch_saving: Measure = Measure()
    baseline: str | None = None
    mixed: bool = False
    protocol: str = ""
    kind: str = "debate"
    models: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its name as people are shown it: marked where it is simulated and others are not."""
        return f"{self.arm} (simulated)" if self.simulated and self.mixed else self.arm

    @property
    def is_baseline(self) -> bool:
        """Whether others are compared with it."""
        return self.arm == self.baseline

    @property
    def tokens(self) -> float | None:
        """Prompt and completion tokens per debate; None where either is unknown."""
        prompt, completion = self.prompt_tokens.mean, self.completion_tokens.mean
        return None if prompt is None or completion is None else prompt + completion


class Results(NotebookDisplay, msgspec.Struct, frozen=True, kw_only=True):
    """A whole run.

    Attributes:
        name: the study's.
        simulated: True when any arm is, whether or not it has a debate yet.
        baseline: the arm the others are compared with, or None.
        arms: by dataset, then by arm.
        saved: what the ledger saved; None where it was not looked up.
        verdicts: of each debate on each dataset, whether it is worth its tokens.
        planned: the debates of the whole study; None where that is not known.
        unfinished: whether a run of these results lacks debates, where they are a part of it or of
            several runs.
        source: the log of debates recorded elsewhere; unset for moot's own.
        statement: of a study that ends by itself; unset for one of fixed size.
        parts: by dataset, in words, which part of a published set of its name it is; unset where
            none is a part.
    """

    run: str
    name: str
    simulated: bool
    baseline: str | None
    arms: tuple[ArmResult, ...]
    saved: Saved | None = None
    verdicts: tuple[MethodVerdict, ...] = ()
    planned: int | None = None
    unfinished: bool = False
    source: str | msgspec.UnsetType = msgspec.UNSET
    statement: Statement | msgspec.UnsetType = msgspec.UNSET
    parts: dict[str, str] | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_complete(self) -> bool:
        """Whether all debates of the study are in; True where their number is not known."""
        if self.unfinished:
            return False
        return self.planned is None or sum(arm.n for arm in self.arms) >= self.planned

    def __repr__(self) -> str:
        """Return what was run, in one line."""
        arms = len({each.arm for each in self.arms})
        on = ", ".join(on_one_line(name, 40) for name in self.datasets) or "no dataset"
        debates = format_things(sum(each.n for each in self.arms), "debate")
        simulated = ", simulated" * self.simulated
        return f"Results({self.run}: {format_things(arms, 'arm')} on {on}, {debates}{simulated})"

    @property
    def records(self) -> Sequence[Row]:
        """One row for each arm on each dataset; shares are from 0 to 1, costs per debate."""
        return [
            {
                "dataset": each.dataset,
                "arm": each.arm,
                "simulated": each.simulated,
                "baseline": each.baseline,
                "debates": each.n,
                "failed": each.failed,
                "unparsed": each.unparsed,
                "questions": each.accuracy.questions,
                "accuracy": each.accuracy.mean,
                "accuracy_low": each.accuracy.low,
                "accuracy_high": each.accuracy.high,
                **{
                    f"difference{part}": getattr(each.difference, name, None)
                    for part, name in (("", "mean"), ("_low", "low"), ("_high", "high"))
                },
                "p": getattr(each.difference, "p", None),
                "p_holm": getattr(each.difference, "p_holm", None),
                "calls": each.calls / each.n if each.n else None,
                "tokens": each.tokens,
                "cost": each.cost.mean,
                "seconds": each.seconds.mean,
            }
            for each in self.arms
        ]

    @property
    def datasets(self) -> dict[str, list[ArmResult]]:
        """The arms of each dataset."""
        grouped: dict[str, list[ArmResult]] = {}
        for arm in self.arms:
            grouped.setdefault(arm.dataset, []).append(arm)
        return grouped
