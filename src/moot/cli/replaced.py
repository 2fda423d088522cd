"""What ``--model`` leaves as it is: arms that name models of their own."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.core.stored import Arm

NAMED = 3
"""Arms that are named of each model; of further ones only the number."""


def kept_models(arms: "Sequence[Arm]", model: str | None) -> dict[str, list[str]]:
    """The models that speak all the same where ``--model`` is given, each with its arms."""
    from moot.debate.cast import speaking

    kept: dict[str, list[str]] = {}
    for arm in arms if model is not None else ():
        for name in speaking(arm.settings):
            if name != model:
                kept.setdefault(name, []).append(arm.name)
    return kept


def tell_kept(arms: "Sequence[Arm]", model: str | None) -> dict[str, list[str]]:
    """Say on standard error which models ``--model`` does not replace; return them."""
    from moot.core.plain import many, plain
    from moot.debate.cast import speaking
    from moot.models.names import shown

    kept = kept_models(arms, model)
    if not kept or model is None:
        return kept
    partly = {arm for named in kept.values() for arm in named}
    heard = sum(model in speaking(arm.settings) for arm in arms)
    told = f"--model {shown(model)} speaks in {heard} of {many(len(arms), 'arm')}"
    if not heard:
        told = f"--model {shown(model)} replaces nothing"
    elif heard + len(partly) > len(arms):
        told += ", in some of them beside others"
    sys.stderr.write(plain(f"{told}: these models are named in the study and stay:") + "\n")
    for name, named in kept.items():
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        sys.stderr.write(plain(f"  {shown(name)}: {', '.join(named[:NAMED])}{more}") + "\n")
    sys.stderr.write(
        "  to replace them, extend the study and set model under [settings], or in these arms\n"
    )
    return kept
