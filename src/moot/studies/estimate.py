"""What a run will take: what is expected, and the most there can be."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from moot.core.answer import sum_known


class DebateUse(NamedTuple):
    """What debates take: calls, tokens and US dollars; the dollars are None where unknown."""

    calls: float = 0
    tokens: float = 0
    cost: float | None = 0.0

    def times(self, calls: float, tokens: float | None = None) -> "DebateUse":
        """Multiply the calls by one factor, and tokens and dollars by it or by another."""
        tokens = calls if tokens is None else tokens
        cost = None if self.cost is None else self.cost * tokens
        return DebateUse(self.calls * calls, self.tokens * tokens, cost)

    @property
    def rounded(self) -> dict[str, Any]:
        """The same in whole calls and tokens, by name."""
        return {"calls": round(self.calls), "tokens": round(self.tokens), "cost": self.cost}

    @classmethod
    def total(cls, each: Sequence["DebateUse"]) -> "DebateUse":
        """Return the sum of what debates take."""
        calls, tokens = sum(one.calls for one in each), sum(one.tokens for one in each)
        return cls(calls, tokens, sum_known([one.cost for one in each]))

    @classmethod
    def mean(cls, each: Sequence["DebateUse"]) -> "DebateUse":
        """Return the mean of what debates take; nothing where there are none."""
        return cls.total(each).times(1 / len(each)) if each else cls()


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """The most that debates can take.

    Attributes:
        debates: how many are held.
        fewest: calls, if every debate ends as early as it can.
        calls: the most calls there can be, as if no call were shared.
        tokens: prompt and completion tokens of these, where every reply has ``max_tokens``, or 200
            where none are set, and every agent reads all that was said before it. Replies without
            ``max_tokens`` may be longer: only a budget caps these.
        cost: for those tokens, in US dollars; None where any model's price is unknown.
    """

    debates: int
    fewest: int
    calls: int
    tokens: int
    cost: float | None


class ExpectedArmUse(msgspec.Struct, frozen=True, kw_only=True):
    """What the debates of one arm will probably use, on all datasets and in all replicates.

    Attributes:
        arm: its name.
        calls: calls they use, those shared with other arms included.
        tokens: prompt and completion tokens of these calls.
        cost: of these calls in US dollars; None where a model's price is unknown.
        shared: how many of these calls an arm before it in the study has paid for.
        recorded: how many debates in the store this rests on; 0 where it was rehearsed.
        most: the most they can take.
    """

    arm: str
    calls: int
    tokens: int
    cost: float | None
    shared: int
    recorded: int
    most: Bound


class ExpectedUse(msgspec.Struct, frozen=True, kw_only=True):
    """What a run will probably pay for, if nothing is in the ledger yet.

    Attributes:
        calls: calls that are paid for; less than the sum over the arms where arms share calls.
        tokens: prompt and completion tokens of these calls.
        cost: of these calls in US dollars; None where a model's price is unknown.
        shared: calls that an arm uses and another has paid for.
        arms: each arm by itself, in the order of the study.
        assumes: what this rests on, in sentences.
        pilot: what is unknown since the store has few replies of a model, and how to learn it: how
            long they are, where no short ``max_tokens`` caps them, and how early debates end; empty
            where nothing is.
    """

    calls: int
    tokens: int
    cost: float | None
    shared: int
    arms: tuple[ExpectedArmUse, ...]
    assumes: tuple[str, ...]
    pilot: str = ""


class Estimate(Bound, frozen=True, kw_only=True):
    """What a run will take if nothing is in the ledger yet: the most, and what is expected.

    Attributes:
        expected: None where only the most is known.
    """

    expected: ExpectedUse | None = None

    @property
    def likely_cost(self) -> float | None:
        """The expected cost in US dollars, else the most; None where a price is unknown."""
        return self.cost if self.expected is None else self.expected.cost
