"""What judging a run again will take: the arbiters' calls, as often and as long as recorded."""

from collections.abc import Mapping
from pathlib import Path

from moot.core.calls import Reply
from moot.core.recorded_settings import CastSettings, read_settings
from moot.models.prices import Price
from moot.parsing.ruling import SIDES
from moot.studies.estimate import DebateUse, Estimate, ExpectedUse
from moot.studies.lab import Lab
from moot.studies.plan import TYPICAL_REPLY
from moot.studies.rejudging import count_rounds, prepare_rejudging
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

    Parameters and errors are those of ``rejudge``. Arbiters are expected to speak as often as the
    recorded ones, and their calls to take as many tokens.
    """
    prepared = await prepare_rejudging(lab, run, prompts=prompts, study=study, prices=prices)
    priced = {
        each.name: prepared.prices.get(each.name, each.cost)
        for each in map(lab.model, prepared.models)
    }

    def count_call(model: str, prompt: int | None, completion: int | None) -> DebateUse:
        reply = Reply(text="", prompt_tokens=prompt, completion_tokens=completion)
        return DebateUse(1, reply.tokens or 0, priced[model](reply))

    usual, bounds = list[DebateUse](), list[DebateUse]()
    for each in prepared.recorded:
        rounds = count_rounds(each.transcript)
        settings = each.task.arm.settings | {"rounds": rounds}
        calls = each.task.settings.protocol.count(settings)[1] - len(SIDES) * rounds
        turns = [turn for turn in each.transcript.turns if turn.role not in SIDES]
        usual += [
            count_call(turn.model, turn.prompt_tokens, turn.completion_tokens) for turn in turns
        ]
        longest = max((turn.prompt_tokens or 0 for turn in turns), default=0)
        written = read_settings(settings, CastSettings).max_tokens or TYPICAL_REPLY
        bounds += [count_call(turn.model, longest, written).times(calls) for turn in turns[:1]]
    expected, most = DebateUse.total(usual), DebateUse.total(bounds)
    return Estimate(
        debates=len(prepared.recorded),
        fewest=len(prepared.recorded),
        **most.rounded,
        expected=ExpectedUse(
            **expected.rounded,
            shared=0,
            arms=(),
            assumes=("as the arbiters of the recorded debates took",),
        ),
    )
