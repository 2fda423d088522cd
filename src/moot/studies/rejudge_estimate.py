"""What judging a run again will take: the arbiters' calls, as often and as long as recorded."""

from collections.abc import Mapping
from pathlib import Path

from moot.core.answer import sum_known
from moot.core.calls import Reply
from moot.core.events import Turn
from moot.models.prices import Price
from moot.parsing.ruling import SIDES
from moot.studies.estimate import Estimate, ExpectedUse
from moot.studies.lab import Lab
from moot.studies.plan import TYPICAL_REPLY
from moot.studies.rejudging import (
    LAST_WORDS,
    check_recorded,
    count_rounds,
    is_last_word,
    list_models,
    load_recorded_debates,
    overlay_finder,
    pair_arms,
)
from moot.studies.study import Study


async def estimate_rejudging(
    lab: Lab,
    run: str,
    *,
    prompts: Path | None = None,
    study: Study | None = None,
    prices: Mapping[str, Price] | None = None,
) -> Estimate:
    """Return what judging a run again will take; only the arbiters are paid; nothing is called.

    Parameters and errors are those of ``rejudge``. Arbiters are expected to end debates as often
    as the recorded ones, and their calls to take as many tokens.
    """
    row = lab.store.find_run(run)
    overlay = overlay_finder(study, prompts)
    pairs = pair_arms(row, overlay)
    asked = list_models(pairs)
    stated = lab.prices(prices or {}, asked, where="prices")
    found, _ = load_recorded_debates(lab, row, pairs, study, overlay)
    await check_recorded(lab, found)
    real = {model.name: model for model in map(lab.model, asked)}
    usual, calls, most = list[Turn](), list[tuple[int, int]](), 0
    tokens, costs, dearest = 0, list[float | None](), list[float | None]()
    for each in found:
        turns = [turn for turn in each.transcript.turns if turn.role not in SIDES]
        arm = each.task.arm
        rounds, settings = count_rounds(each.transcript), arm.settings
        settings = settings | {"rounds": rounds}
        own = each.task.protocol.count(settings)[1] - len(SIDES) * rounds
        calls.append((rounds, own))
        longest = Reply(
            text="",
            prompt_tokens=max((turn.prompt_tokens or 0 for turn in turns), default=0),
            completion_tokens=settings["max_tokens"] or TYPICAL_REPLY,
        )
        for turn in turns:
            price = stated.get(turn.model, real[turn.model].cost)
            used = turn.prompt_tokens, turn.completion_tokens
            costs.append(price(Reply(text="", prompt_tokens=used[0], completion_tokens=used[1])))
        if turns:
            one = stated.get(turns[0].model, real[turns[0].model].cost)(longest)
            dearest.append(None if one is None else one * own)
        usual += turns
        most, tokens = most + own, tokens + own * (longest.tokens or 0)
    weighed = sum(turn.step not in LAST_WORDS for turn in usual)
    ends = sum(not is_last_word(each.transcript) for each in found) / max(1, weighed)
    likely = sum(_estimate_calls(rounds, own, ends) for rounds, own in calls)
    share = likely / max(1, len(usual))
    cost = sum_known(costs)
    return Estimate(
        debates=len(found),
        fewest=len(found),
        calls=most,
        tokens=tokens,
        cost=sum_known(dearest),
        expected=ExpectedUse(
            calls=round(likely),
            tokens=round(
                sum((turn.prompt_tokens or 0) + (turn.completion_tokens or 0) for turn in usual)
                * share
            ),
            cost=None if cost is None else cost * share,
            shared=0,
            arms=(),
            assumes=("as the arbiters of the recorded debates took",),
        ),
    )


def _estimate_calls(rounds: int, most: int, ends: float) -> float:
    """Return the calls of an arbiter that ends a debate with this probability after each round."""
    asked = sum((1 - ends) ** before for before in range(min(rounds, most)))
    return asked + (1 - ends) ** rounds * (most - min(rounds, most))
