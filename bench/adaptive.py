"""Whether a gate saves what it can, and claims nothing where its signal tells nothing.

    python bench/adaptive.py                    two worlds, 5 repetitions of 2,000 + 600 questions
    python bench/adaptive.py --repeat 1 --questions 900
    python bench/adaptive.py --gate feature-gate        the classifier of replies, in the same way

Both worlds are simulated populations in which debate helps, and most questions need no help. In
`tells` agents are unsure where they are wrong. In `tells not` they are the same agents, and state a
confidence drawn at random. In each repetition, with another seed of beliefs, a threshold is fitted
on 60 % of the first questions (`moot tune`) and used on others, beside always debating and beside
self-consistency, as the study `adaptive` has it. Where the fit is refused there is no threshold,
and the gate always debates. The feature gate has a classifier in its place, and always debating is
`multi-persona` for it.

The exit code is 1 where in `tells` fewer than 80 % of the tokens of always debating are saved (50 %
by the feature gate), or the accuracy over all repetitions is lower than that of always debating by
more than a point, or where in `tells not` a fit is not refused or a gain is claimed for the gate
that is not claimed for always debating.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import moot
from moot.analyses.adaptive import NO_GAIN, AdaptiveArm
from moot.analyses.analysis import analyse
from moot.contrib.tuning.fitting_run import fit_gate

WORLDS = {
    "tells": "accuracy=0.94&concentration=0.15&truth_drift=0.5",
    "tells not": "accuracy=0.94&concentration=0.15&truth_drift=0.5&guessed=1",
}
SETTINGS = {"agents": 5, "rounds": 3}
ALWAYS: dict[str, dict[str, object]] = {
    "confidence-gate": {"protocol": "society-of-minds", "confidence": "percent"},
    "feature-gate": {"protocol": "multi-persona"},
}
"""The debate behind each gate."""
LEAST_SAVED = {"confidence-gate": 0.8, "feature-gate": 0.5}
"""Of the tokens of always debating; a judge ends the debate behind the feature gate early."""
MARGIN = 0.01


class Repetition(NamedTuple):
    """What came out of one repetition.

    Attributes:
        fitted: what the gate compares with; None where the fit was refused.
        why: the reason of the fit.
        gate: the gate in the report.
        always: always debating in the report.
    """

    fitted: float | None
    why: str
    gate: AdaptiveArm
    always: AdaptiveArm

    @property
    def saved(self) -> float:
        """The share of the tokens of always debating that the gate saves."""
        return 1 - self.gate.tokens / self.always.tokens


async def repeat(name: str, knobs: str, seed: int, questions: int, folder: Path) -> Repetition:
    """Fit on some questions and report on others."""
    model = f"simulated/world?seed={seed}&{knobs}"
    common = {"settings": {"model": model, **SETTINGS}}
    file = folder / "gate.json"
    fitted = await fit_gate(
        common
        | {
            "name": "fit",
            "datasets": [{"name": "arithmetic", "difficulty": 4, "n": questions, "seed": 1}],
            "tune": {"protocol": name, "fit": str(file), "development": 0.6},
        },
        store=folder,
    )
    gate = {"protocol": name, "name": "gate"}
    if fitted.threshold is not None:
        gate[fitted.setting] = str(file)
    outcome = await moot.run(
        common
        | {
            "name": "report",
            "baseline": "self-consistency",
            "equal_budget": True,
            "datasets": [{"name": "arithmetic", "difficulty": 3, "n": 600, "seed": 2}],
            "arms": [
                {"protocol": "self-consistency", "samples": 15},
                {"name": "always", **ALWAYS[name]},
                gate,
            ],
        },
        store=folder,
    )
    report = await analyse("adaptive", outcome.run, store=folder)
    found = {each.arm: each for each in report.data}
    threshold = fitted.threshold and fitted.threshold.threshold
    return Repetition(threshold, fitted.why, found["gate"], found["always"])


def show(world: str, found: list[Repetition]) -> None:
    """Print the figures of a world, one line for each repetition and one for all."""
    for each in found:
        threshold = "refused" if each.fitted is None else f"{each.fitted:g}"
        tokens = f"{each.gate.tokens:7.0f} of {each.always.tokens:7.0f}, saved {each.saved:6.1%}"
        right = f"{each.gate.accuracy.mean:.3f} and {each.always.accuracy.mean:.3f}"
        print(
            f"{world:<10} threshold {threshold:<8} tokens {tokens}; accuracy {right}; "
            f"{each.gate.claim}"
        )
    saved = sum(each.saved for each in found) / len(found)
    print(
        f"{world:<10} in all: saved {saved:.1%}, accuracy {lost(found):+.2%} against always "
        f"debating; fits refused {sum(each.fitted is None for each in found)} of {len(found)}; "
        f"gains claimed {sum(each.gate.claim != NO_GAIN for each in found)} of {len(found)}"
    )


def lost(found: list[Repetition]) -> float:
    """Return the accuracy of the gate minus that of always debating, over all repetitions."""
    gaps = [each.gate.accuracy.mean - each.always.accuracy.mean for each in found]
    return sum(gaps) / len(gaps)


async def main() -> int:
    """Run all repetitions of both worlds and say whether they hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gate", choices=ALWAYS, default="confidence-gate")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--questions", type=int, default=2000, help="of the fit, before its split")
    given = parser.parse_args()
    held: dict[str, list[Repetition]] = {world: [] for world in WORLDS}
    for world, knobs in WORLDS.items():
        for seed in range(given.repeat):
            with TemporaryDirectory() as folder:
                found = await repeat(given.gate, knobs, seed, given.questions, Path(folder))
                held[world].append(found)
        show(world, held[world])
    tells, tells_not = held["tells"], held["tells not"]
    least = LEAST_SAVED[given.gate]
    saves = sum(each.saved for each in tells) / len(tells) >= least
    equal = lost(tells) >= -MARGIN
    refused = all(each.fitted is None for each in tells_not)
    nothing = all(each.gate.claim in {NO_GAIN, each.always.claim} for each in tells_not)
    print(f"at least {least:.0%} saved: {saves}; equal accuracy: {equal}; ", end="")
    print(f"refused where it tells nothing: {refused}; nothing claimed there: {nothing}")
    return 0 if saves and equal and refused and nothing else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
