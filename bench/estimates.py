"""What a run was expected to take against what it took.

    python bench/estimates.py                    # every shipped study, simulated agents
    python bench/estimates.py --embedded         # small samples of some, on the embedded model
    python bench/estimates.py --embedded --only judge-bias --pilot 1
    python bench/estimates.py --embedded --only judge-bias --store DIR --lengths

Each case is estimated before its first call, with an empty store or after a pilot of some questions
that the estimate learns from, held, and compared: expected over used, of the calls and tokens that
were paid for. A case that is not done after `--seconds` is stopped; what its debates used is then
compared, debate by debate. `--store DIR` keeps the ledgers,
and goes on with what is there. `--lengths` also tells how long replies were, by step, and how many
were cut off: what `moot.studies.stand_in` is made from.
"""

import argparse
import asyncio
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import moot
from moot.core.errors import InputError
from moot.studies.estimate import Estimate
from moot.studies.lab import Lab, open_lab
from moot.studies.plan import Plan
from moot.studies.rehearsal import estimate_run
from moot.studies.sources import list_shipped_studies
from moot.studies.study_file import load

SIMULATED = "simulated/people?accuracy=0.6"
EMBEDDED = "local/smollm2"
LIMIT = 40
"""Questions of each dataset that simulated agents debate."""
WIDE = 0.15
"""How far an estimate may be off."""


class Case(NamedTuple):
    """What is measured: a study, on so many questions of each dataset."""

    name: str
    study: dict[str, Any]
    limit: int


def _case(name: str, base: str, limit: int, **more: Any) -> Case:
    return Case(name, {"name": name, "extends": base, **more}, limit)


def _capped(tokens: int) -> dict[str, Any]:
    return {"settings": {"max_tokens": tokens}}


_TWO = ["open", "control-wrong"]


def _openings(**settings: Any) -> dict[str, Any]:
    """Consultancy and moderated debate, with the openings."""
    return {
        "settings": {"temperature": 0.0, "style": "explained", **settings},
        "datasets": [{"name": "arithmetic", "difficulty": 2, "n": 50}],
        "arms": [
            {"protocol": "debate-moderated", "rounds": 5, "opening": _TWO},
            {"protocol": "consultancy", "rounds": 5, "opening": _TWO},
        ],
    }


CASES = (
    _case("demo", "demo", 4),
    _case("sums", "sums", 20),
    _case("table3-sums capped", "table3-sums", 1, **_capped(64)),
    _case("judge-bias capped", "judge-bias-sums", 3, **_capped(64)),
    _case("judge-bias", "judge-bias-sums", 1),
    Case("openings capped", {"name": "openings capped", **_openings(max_tokens=64)}, 10),
    Case("openings", {"name": "openings", **_openings()}, 3),
    _case("prejudice capped", "prejudice-model-level-sums", 2, **_capped(64)),
)
"""Samples that the embedded model can do in minutes."""


class Compared(NamedTuple):
    """One case: what was expected and what was used; held of so many debates."""

    name: str
    held: int
    debates: int
    calls: tuple[float, float]
    tokens: tuple[float, float]


async def compare(case: Case, model: str, store: Path, seconds: float, pilot: int) -> Compared:
    """Estimate a case, with an empty store or after a pilot of so many questions; then hold it."""
    study = load(case.study if len(case.study) > 1 else case.study["name"], model=model)
    plan = Plan(study, limit=case.limit)
    if pilot:
        await moot.run(study, store=store / "pilot", limit=pilot)
    async with open_lab(store / ("pilot" if pilot else "empty")) as lab:
        told = await estimate_run(plan, lab)
    with suppress(TimeoutError):
        await asyncio.wait_for(moot.run(study, store=store, limit=case.limit), seconds)
    async with open_lab(store, readonly=True) as lab:
        return _compared(case.name, lab, plan, told)


def _compared(name: str, lab: Lab, plan: Plan, told: Estimate) -> Compared:
    run = lab.store.find_run(plan.key).id
    held = [each for each in lab.store.values(run) if not each.failed]
    expected = told.expected
    assert expected is not None
    if len(held) == plan.size:
        paid = lab.store.sum_spent(run)
        calls, tokens = (expected.calls, paid.calls), (expected.tokens, paid.tokens)
        return Compared(name, len(held), plan.size, calls, tokens)
    by_arm = Counter(each.arm for each in held)
    parts = [(arm, by_arm[arm.arm] / arm.most.debates) for arm in expected.arms]
    values = [each.values for each in held]
    calls = sum(arm.calls * share for arm, share in parts), _used(values, "calls")
    tokens = (
        sum(arm.tokens * share for arm, share in parts),
        _used(values, "prompt-tokens", "completion-tokens"),
    )
    return Compared(name, len(held), plan.size, calls, tokens)


def _used(values: list[dict[str, float | None]], *names: str) -> float:
    return sum(each.get(name) or 0.0 for each in values for name in names)


def lengths(lab: Lab) -> Iterator[str]:
    """How long replies were, by style, protocol and step: of those that ended, and cut off."""
    found: dict[tuple[str, ...], list[tuple[int, bool]]] = defaultdict(list)
    for run in lab.store.runs():
        for row in lab.store.debates(run.id):
            opened = row.transcript.opened
            style, most = str(opened.settings["style"]), str(opened.settings["max_tokens"])
            for turn in row.transcript.turns:
                key = style, most, opened.protocol, turn.step, "read" if turn.reads else "alone"
                found[key].append((turn.completion_tokens or 0, turn.finish == "length"))
    for key, each in sorted(found.items()):
        ended = [tokens for tokens, cut in each if not cut]
        mean = f"{fmean(ended):7.1f}" if ended else "      -"
        cut = 1 - len(ended) / len(each)
        yield f"{' '.join(key):70} n {len(each):4} ended {mean} cut {cut:.2f}"


async def _main(options: argparse.Namespace) -> int:
    cases = CASES
    if not options.embedded:
        cases = tuple(
            Case(each.name, {"name": each.name}, LIMIT) for each in list_shipped_studies()
        )
    model = options.model or (EMBEDDED if options.embedded else SIMULATED)
    off = 0
    print(f"{'case':34} {'debates':>9}  {'calls':>13}  ratio  {'tokens':>21}  ratio")
    for case in cases:
        if options.only and options.only not in case.name:
            continue
        place = options.store / case.name.replace(" ", "-")
        try:
            found = await compare(case, model, place, options.seconds, options.pilot)
        except InputError as error:
            print(f"{case.name:34} not run: {str(error)[:90]}")
            continue
        ratios = [one / max(1, other) for one, other in (found.calls, found.tokens)]
        off += any(abs(ratio - 1) > WIDE for ratio in ratios)
        calls, tokens = (f"{one:,.0f}/{other:,.0f}" for one, other in (found.calls, found.tokens))
        held = f"{found.held}/{found.debates}"
        print(
            f"{case.name:34} {held:>9}  {calls:>13}  {ratios[0]:5.2f}  {tokens:>21}  "
            f"{ratios[1]:5.2f}",
            flush=True,
        )
        if options.lengths:
            async with open_lab(place, readonly=True) as lab:
                print("\n".join(lengths(lab)), flush=True)
    return off


def main() -> None:
    """Measure what the options say; the exit code is 1 where an estimate is more than 15 % off."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--embedded", action="store_true")
    parser.add_argument("--model")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=280.0)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--pilot", type=int, default=0)
    parser.add_argument("--lengths", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        options.store = options.store or Path(folder)
        sys.exit(1 if asyncio.run(_main(options)) else 0)


if __name__ == "__main__":
    main()
