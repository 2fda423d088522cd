"""Confidences: how sure an agent is, in its own words or by further calls."""

from collections.abc import Sequence

import msgspec

from moot.core.calls import Reply
from moot.core.confidence_scales import P_TRUE
from moot.core.questions import Kind
from moot.debate.asked_confidence import A_SCALE, CONSISTENCY, need_logprobs
from moot.debate.exchange import Exchange, Fetch
from moot.debate.feature import Feature
from moot.debate.gather_all import gather_all
from moot.debate.prompting import follow_up
from moot.debate.protocol_settings import MORE_DRAWS
from moot.parsing.confidence import CONFIDENCE_PARSERS, LOGPROBS, Confidence
from moot.parsing.parser import Parsed
from moot.parsing.same import is_same


class ConfidenceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of confidences."""

    confidence: str | None = None
    more_draws: int = MORE_DRAWS


class Confidences(Feature):
    """Asks debaters how sure they are of their answers, or finds it out."""

    names = ("confidence", "more_draws")
    Settings = ConfidenceSettings

    def is_on(self, own: ConfidenceSettings) -> bool:
        """Return whether any source is named."""
        return bool(own.confidence)

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
            need_logprobs(agent, f"confidence = {LOGPROBS!r}", A_SCALE)
            exchange.logprobs = True
        elif exchange.votes and agent.seat.debater:
            if source == CONSISTENCY:
                return await _draw_again(state.more_draws, exchange, fetch)
            if source == P_TRUE:
                need_logprobs(agent, f"confidence = {P_TRUE!r}", A_SCALE)
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
    pack, style = exchange.turns.context.pack, exchange.agent.config.style
    return scale if pack.reads_as(exchange.template, style) == "answer" else ""


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
    check.reads_as = "text"
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
