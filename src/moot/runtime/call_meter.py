"""The tokens and US dollars of a call: expected before it, counted after it."""

from collections.abc import Callable, Mapping

from moot.core.calls import Call, Reply
from moot.core.errors import InputError
from moot.core.ports import Model
from moot.runtime.budget import BudgetGuard, CallAmounts, CallNeed
from moot.runtime.sizes import ESTIMATED_RATIO, Sizes, count_completion_tokens


class CallMeter:
    """Estimates the amounts of calls, and counts what their replies took.

    Args:
        prices: prices by model name, in place of the models' own.
        sizes: the tokens of earlier calls.
    """

    def __init__(
        self,
        prices: Mapping[str, Callable[[Reply], float | None]] | None = None,
        sizes: Sizes | None = None,
    ) -> None:
        self.sizes = sizes or Sizes()
        self._prices = prices or {}

    def find_cost(self, model: Model, reply: Reply) -> float | None:
        """Return a reply's cost in US dollars: the study's, else the reply's, else the model's."""
        stated = self._prices.get(model.name) if self._prices else None
        if stated is None:
            return model.cost(reply) if reply.cost is None else reply.cost
        return stated(reply)

    def expect(self, model: Model, call: Call, size: int, guard: BudgetGuard) -> CallNeed:
        """Return the amounts that a call may take, by the calls before it.

        Args:
            model: the model.
            call: the call.
            size: bytes of its request.
            guard: the guard of its budget.

        Raises:
            InputError: cost is capped and the model's price is unknown.
        """
        expected = self.sizes.expect(call, size, model.limits.context)
        prompt, reply, least_prompt, least_reply, longest = expected
        most = None if longest is None else prompt + longest
        tokens, least = prompt + reply, least_prompt + least_reply
        if not guard.counts_cost:
            return CallNeed(tokens, 0.0, least, 0.0, most, 0.0)
        cost, least_cost = (
            self._price(model, prompt, reply),
            self._price(model, least_prompt, least_reply),
        )
        if cost is None or least_cost is None:
            raise InputError(
                f"a cap on cost needs a price, and that of {model.name} is unknown: state it "
                "with --price, or under [prices] in a study, or cap calls or tokens"
            )
        dearest = None if longest is None else self._price(model, prompt, longest)
        return CallNeed(tokens, cost, least, least_cost, most, dearest)

    def count(
        self, model: Model, call: Call, size: int, reply: Reply, guard: BudgetGuard
    ) -> CallAmounts:
        """Return the amounts that a call took; estimates where its endpoint reports none."""
        told = reply.tokens
        if not guard.counts_tokens:
            return CallAmounts(told or 0, reply.cost or 0.0)
        self.sizes.learn(call, size, reply)
        if told is not None and reply.cost is not None:
            return CallAmounts(told, reply.cost)
        prompt = int(size * ESTIMATED_RATIO) if reply.prompt_tokens is None else reply.prompt_tokens
        written = count_completion_tokens(reply)
        cost = reply.cost
        if cost is None and guard.counts_cost:
            cost = self._price(model, prompt, written)
        return CallAmounts(prompt + written, cost or 0.0, estimated=told is None)

    def _price(self, model: Model, prompt: int, reply: int) -> float | None:
        """Return the cost of so many tokens in US dollars; None where the price is unknown."""
        return self.find_cost(model, Reply(text="", prompt_tokens=prompt, completion_tokens=reply))
