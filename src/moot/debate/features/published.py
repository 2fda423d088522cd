"""Published habits: how replies are asked for, read and billed in the code of papers."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from moot.core.calls import Reply
from moot.debate.exchange import Exchange
from moot.debate.feature import FEW_SHOT, Feature

READERS = {"simple": "first-capital", FEW_SHOT: "first-capital"}
"""The parser of ``reads_by = "capital"`` in the styles without reasoning."""
USUAL_READER = "last-capital"
"""The same in all other styles."""
BILLED = 1000
"""Tokens that are billed at once, where not each is."""


class PublishedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of asking, reading and billing."""

    reads_by: Annotated[
        Literal["commitment", "capital", "first-capital", "last-capital"],
        Meta(
            title="How the letter of an option is read",
            description="what a reply to a choice is taken for: the option that it commits to, or "
            "the first or last capital letter that stands alone; capital: the first in styles "
            "without reasoning, else the last",
        ),
    ] = "commitment"
    constrained: Annotated[
        bool,
        Meta(
            title="Hold replies in JSON to their form",
            description="whether a model that can be held to a JSON schema is",
        ),
    ] = True
    billed: Annotated[
        Literal["tokens", "thousands"],
        Meta(
            title="How tokens are billed",
            description="thousands: a prompt and a reply cost as many whole 1,000 tokens as they "
            "begin; a budget counts what was paid",
        ),
    ] = "tokens"


class Published(Feature):
    """Asks without a schema, reads by a letter alone, and bills in thousands, as some code does."""

    names = ("reads_by", "constrained", "billed")
    Settings = PublishedSettings

    def reads_as(self, state: PublishedSettings, exchange: Exchange) -> str:
        """Return the reader of a capital letter, for an agent's own answer to a choice."""
        by, question = state.reads_by, exchange.prompter.question
        if by == "commitment" or exchange.parser.name != "answer" or question.kind != "choice":
            return ""
        return READERS.get(exchange.agent.config.style, USUAL_READER) if by == "capital" else by

    async def around(
        self,
        state: PublishedSettings,
        exchange: Exchange,
        fetch: Callable[..., Awaitable[Exchange]],
    ) -> Exchange:
        """Return an exchange whose reply no schema held, and that is billed in thousands."""
        if not state.constrained and exchange.parser.schema is not None:
            exchange.parser = replace(exchange.parser, schema=None)
        done = await fetch(exchange)
        if state.billed == "thousands":
            done.reply = _bill_thousands(done)
        return done


def _bill_thousands(exchange: Exchange) -> Reply:
    """Return the reply with the cost of the whole thousands of tokens that it begins."""
    reply, path = exchange.reply, exchange.turns.context.path
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return reply
    rounded = msgspec.structs.replace(
        reply,
        prompt_tokens=-(-reply.prompt_tokens // BILLED) * BILLED,
        completion_tokens=-(-reply.completion_tokens // BILLED) * BILLED,
        cached_tokens=0,
        cost=None,
    )
    cost = path.meter.find_cost(exchange.agent.config.model, rounded)
    return msgspec.structs.replace(reply, cost=cost)


FEATURE = Published()
