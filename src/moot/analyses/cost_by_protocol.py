"""What debates of each protocol cost, dataset by dataset (APF-Bench, figure 7)."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from statistics import fmean

import msgspec

from moot.analyses.debate_values import DebatesByArm, mean_tokens, mean_value
from moot.analyses.measured_arms import group_by, name_models
from moot.core.stored import Arm
from moot.debate.protocol import kind_of


class ProtocolCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a debate of a protocol costs on a dataset: the mean of its arms, which count alike.

    Attributes:
        society: True for society-level frameworks (figure 7).
        model: the model that speaks, or several names where there are several.
        arms: how many the mean is of.
        n: debates of all these arms.
        calls: per debate, as the next two.
        tokens: prompt and completion; None where a count is unknown in any debate.
        cost: in US dollars; None where a price is unknown in any debate.
    """

    dataset: str
    protocol: str
    society: bool
    model: str
    simulated: bool
    arms: int
    n: int
    calls: float | None
    tokens: float | None
    cost: float | None


def cost_protocols(
    arms: Sequence[Arm],
    datasets: Sequence[str],
    known: DebatesByArm,
    simulated: AbstractSet[str],
) -> Iterator[ProtocolCost]:
    """Yield what each protocol costs with each model on each dataset, in the order of the arms."""
    kinds = group_by(arms, lambda arm: (arm.protocol, name_models(arm)))
    for dataset in datasets:
        for (protocol, model), own in kinds.items():
            held = [arm.name for arm in own if (dataset, arm.name) in known]
            each = [list(known[dataset, arm].values()) for arm in held]
            if not each:
                continue
            yield ProtocolCost(
                dataset=dataset,
                protocol=protocol,
                society=kind_of(protocol) == "society",
                model=model,
                simulated=any(arm in simulated for arm in held),
                arms=len(held),
                n=sum(map(len, each)),
                calls=_over([mean_value(values, "calls") for values in each]),
                tokens=_over([mean_tokens(values) for values in each]),
                cost=_over([mean_value(values, "cost") for values in each]),
            )


def _over(means: Sequence[float | None]) -> float | None:
    """Return the mean of the arms' means; None where one is unknown."""
    known = [one for one in means if one is not None]
    return fmean(known) if len(known) == len(means) else None
