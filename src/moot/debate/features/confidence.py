"""Confidences: how sure an agent is, in its own words or by further calls."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from moot.core.calls import Reply
from moot.core.confidence_scales import P_TRUE
from moot.core.errors import InputError
from moot.core.questions import Kind
from moot.debate.debate_settings import DebateSettings
from moot.debate.exchange import Exchange, Fetch
from moot.debate.feature import Calls, Feature
from moot.debate.gather_all import gather_all
from moot.debate.prompting import follow_up
from moot.debate.protocol_settings import MORE_DRAWS, OMITTED, ConfidenceSource
from moot.parsing.confidence import CONFIDENCE_PARSERS, LOGPROBS, Confidence
from moot.parsing.parser import Parsed
from moot.parsing.parser import registry as parsers
from moot.parsing.same import is_same
from moot.prompts.packs import Pack

CONSISTENCY = "consistency"
"""The source that draws the answer again, and counts how often it is the same."""
A_SCALE = "choose a scale, such as percent"


class ConfidenceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of confidences."""

    confidence: Annotated[
        ConfidenceSource | None,
        Meta(
            title="How sure agents are of their answers",
            description="how sure debaters are: on a scale, or by logprobs, consistency or p-true; "
            "none: not asked",
            extra=OMITTED,
        ),
    ] = None
    more_draws: Annotated[
        int,
        Meta(
            ge=1,
            le=1000,
            title="How often an answer is drawn again, to see how sure it is",
            description="how often confidence = consistency draws each answer again",
            extra=OMITTED,
        ),
    ] = MORE_DRAWS


class Confidences(Feature):
    """The answers of debaters have a confidence."""

    names = ("confidence", "more_draws")
    Settings = ConfidenceSettings

    def is_on(self, own: ConfidenceSettings) -> bool:
        """Return whether a source of confidences is set."""
        return own.confidence is not None

    def check(
        self, own: ConfidenceSettings, whole: DebateSettings, place: str, pack: Pack
    ) -> ConfidenceSettings:
        """Return the settings; the nodes of a network are checked one by one.

        Raises:
            InputError: no reply of the debate's agents could have a confidence.
        """
        if own.confidence == LOGPROBS:
            return own
        protocol, where = whole.protocol, f"{place}: setting confidence = {own.confidence!r}"
        if own.confidence in {CONSISTENCY, P_TRUE}:
            if not protocol.answers:
                raise InputError(
                    f"{where}: it takes further calls for each answer, and this protocol does not "
                    "say how many answers it has; choose a scale, such as percent"
                )
            if own.confidence == CONSISTENCY and whole.agents.temperature == 0:
                raise InputError(f"{where}: at temperature = 0 all draws of a prompt are the same")
            return own
        if protocol.needs:
            raise InputError(
                f"{where}: {protocol.needs} writes the prompts, and does not ask for it"
            )
        for style in () if whole.is_network else sorted(whole.styles):
            if (form := pack.step(style).reads_as) != "answer":
                raise InputError(
                    f"{where}: a reply in style {style!r} has a form of its own ({form}), without "
                    "a place for it; use a style that ends in a plain answer, such as cot"
                )
        return own

    def count(self, own: ConfidenceSettings, calls: Calls, whole: DebateSettings) -> Calls:
        """Return the calls with the further ones that each answer takes."""
        further = {CONSISTENCY: own.more_draws, P_TRUE: 1}.get(str(own.confidence), 0)
        if not further:
            return calls
        fewest, answers = calls.answers()
        return calls._replace(
            least=calls.least + further * min(calls.least, fewest),
            most=calls.most + further * answers,
        )

    def prompts(self, own: ConfidenceSettings, whole: DebateSettings, pack: Pack) -> Iterator[str]:
        """Yield the digests of the words that ask how sure an agent is."""
        yield pack.confidence_digest
        if own.confidence == P_TRUE:
            yield pack.check_digest

    def lines(self, state: ConfidenceSettings, exchange: Exchange) -> str:
        """Return the question how sure the agent is, on a scale."""
        scale = _find_scale(state, exchange)
        return exchange.turns.context.pack.confidence(scale) if scale else ""

    def reads_as(self, state: ConfidenceSettings, exchange: Exchange) -> str:
        """Return the parser of an answer with a confidence on a scale."""
        scale = _find_scale(state, exchange)
        return CONFIDENCE_PARSERS[scale] if scale else ""

    async def around(self, state: ConfidenceSettings, exchange: Exchange, fetch: Fetch) -> Exchange:
        """Return the exchange with a confidence that no scale asks for.

        It is the probability of the reply's tokens; how many of further draws have the same answer;
        or the probability of "True", where the agent is asked whether its answer is right. Further
        exchanges are no votes, and the agent does not remember them.

        Raises:
            InputError: the agent's model gives no probabilities of tokens, which the source needs.
        """
        source, agent = state.confidence, exchange.agent
        if source == LOGPROBS and exchange.is_answer:
            agent.need_logprobs(f"confidence = {LOGPROBS!r}", A_SCALE)
            exchange.logprobs = True
        elif exchange.votes and agent.seat.debater:
            if source == CONSISTENCY:
                return await _draw_again(state.more_draws, exchange, fetch)
            if source == P_TRUE:
                agent.need_logprobs(f"confidence = {P_TRUE!r}", A_SCALE)
                return await _check_answer(exchange, fetch)
        return await fetch(exchange)


def _find_scale(state: ConfidenceSettings, exchange: Exchange) -> str:
    """Return the scale on which an agent is asked how sure it is; empty where it is not.

    Debaters are asked where their reply is a plain answer of their own. An agent that answers as
    another question's debater is asked what that one is.
    """
    scale = state.confidence
    if scale not in CONFIDENCE_PARSERS or not exchange.is_answer:
        return ""
    return scale if exchange.parser.name == "answer" else ""


async def _draw_again(many: int, exchange: Exchange, fetch: Fetch) -> Exchange:
    """Draw an answer, and so often the same prompt again; the share of equal answers is kept."""
    further = [exchange.again() for _ in range(many)]
    await gather_all(map(fetch, (exchange, *further)))
    kind = exchange.prompter.question.kind
    exchange.parsed = add_consistency(exchange.parsed, [each.parsed for each in further], kind)
    exchange.after = further
    return exchange


async def _check_answer(exchange: Exchange, fetch: Fetch) -> Exchange:
    """Ask for an answer, and whether it is right; the probability of "True" is kept."""
    check = exchange.again(exchange.prompt, P_TRUE)
    check.parser = parsers.get("text")
    check.limit_to_token()
    exchange = await fetch(exchange)
    answered = (exchange.number, exchange.parsed.answer)
    asked = exchange.turns.context.pack.confidence(P_TRUE)
    check.prompt = follow_up(exchange.prompt, exchange.form, exchange.reply.text, answered, asked)
    check = await fetch(check)
    exchange.parsed, exchange.after = add_p_true(exchange.parsed, check.reply), (check,)
    return exchange


def add_consistency(parsed: Parsed, drawn: Sequence[Parsed], kind: Kind) -> Parsed:
    """Return what a reply says with the share of draws that have its answer as its confidence.

    A reading that the reply has stays, and a reply without an answer has no confidence.
    """
    if parsed.reading is not None or parsed.answer is None:
        return parsed
    same = sum(is_same(parsed.answer, each.answer, kind) for each in drawn)
    raw = f"{same} of {len(drawn)} draws"
    return parsed._replace(
        reading=Confidence(confidence=same / len(drawn), raw=raw, source=CONSISTENCY)
    )


def add_p_true(parsed: Parsed, checked: Reply) -> Parsed:
    """Return what a reply says with the probability of "True" as its confidence.

    Where the model said "False", it is 1 minus the probability of that.
    """
    if parsed.reading is not None or parsed.answer is None:
        return parsed
    word, chance = checked.text.strip().casefold(), checked.token_probability
    sure = None
    if chance is not None and word:
        sure = {"t": chance, "f": 1 - chance}.get(word[0])
    return parsed._replace(
        reading=Confidence(confidence=sure, raw=checked.text.strip(), source=P_TRUE)
    )


FEATURE = Confidences()
