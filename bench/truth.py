"""Whether the statistics recover a truth that is known, over 200 repetitions of three studies.

python bench/truth.py [--repeats 200] [--questions 50] [--json FILE]

Each repetition is a study run by `moot.run`: `self-consistency` and `society-of-minds`, of three
agents each, against `single`, on true-or-false questions put to a simulated population with a seed
of its own. Beliefs lie evenly around one half, so that no vote and no debate can help: in `nothing`
every arm is right on half of all questions. In `helps` and `harms`, reading others moves a share of
an agent's belief towards or away from the truth (`truth_drift`): of the size at which, by the power
formula of the reports, the debate's difference is found in 80 % of studies with so many questions.
"""

import argparse
import asyncio
import json
import time
from itertools import product
from math import comb, exp, lgamma
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import moot
from moot.statistics.intervals import clopper_pearson
from moot.statistics.power import power_of_mcnemar

AGENTS = 3
WEIGHT = 4.0  # the population's concentration: beliefs are drawn from a beta with half of it twice
ALPHA, POWER = 0.05, 0.8
AT_ONCE = 8
VOTE, DEBATE = "self-consistency", "society-of-minds"


def beta_binomial(k, n, right, wrong):
    """The chance of k right among n answers drawn from one belief."""

    def beta(a, b):
        return exp(lgamma(a) + lgamma(b) - lgamma(a + b))

    return comb(n, k) * beta(k + right, n - k + wrong) / beta(right, wrong)


def majority(share):
    return sum(
        comb(AGENTS, k) * share**k * (1 - share) ** (AGENTS - k)
        for k in range(AGENTS // 2 + 1, AGENTS + 1)
    )


def expected(drift, steps=400):
    """The debate's true difference to `single`, and how often just one of both is right.

    `single` gives the answer that the debate's first agent gives first. Its belief b is drawn from
    Beta(2, 2); after k right answers of three the belief is (4b + k) / 7, then moved by the drift,
    and three answers are drawn from that. Integrated over b by the midpoint rule.
    """
    debate_only = single_only = 0.0
    for step in range(steps):
        belief = (step + 0.5) / steps
        density = 6 * belief * (1 - belief) / steps
        for said in product((0, 1), repeat=AGENTS):
            right = sum(said)
            chance = density * belief**right * (1 - belief) ** (AGENTS - right)
            after = (WEIGHT * belief + right) / (WEIGHT + AGENTS)
            wins = majority(after * (1 - abs(drift)) + max(drift, 0.0))
            if said[0]:
                single_only += chance * (1 - wins)
            else:
                debate_only += chance * wins
    return round(debate_only - single_only, 9) + 0.0, debate_only + single_only


def planted(questions):
    """The drift whose difference so many questions show in 80 % of studies."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        found = power_of_mcnemar(questions, *expected(middle)) >= POWER
        low, high = (low, middle) if found else (middle, high)
    return round(high, 4)


def study(drift, seed, file):
    people = f"simulated/people?accuracy=0.5&concentration={WEIGHT}&seed={seed}"
    drifting = {"name": DEBATE, "protocol": DEBATE, "agents": AGENTS, "rounds": 2}
    return {
        "name": f"truth-{seed}",
        "baseline": "single",
        "settings": {"model": f"{people}&truth_drift={drift}" if drift else people},
        "datasets": [{"name": "file", "label": "claims", "path": str(file)}],
        "arms": [
            {"protocol": "single"},
            {"name": VOTE, "protocol": VOTE, "samples": AGENTS},
            drifting,
        ],
    }


async def repeat(drift, repeats, questions, folder):
    """The two arms' differences in each repetition; a few at once, for each waits for its disk."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(seed):
        async with free:
            return await hold(drift, seed, questions, folder)

    return await asyncio.gather(*map(one, range(repeats)))


def claims(folder, seed, questions):
    """A file of true-or-false questions that no other seed has, half of them true."""
    file = folder / f"claims-{seed}.jsonl"
    rows = (
        {"id": f"{seed}-{i}", "question": f"Claim {i} of study {seed}?", "answer": not i % 2}
        for i in range(questions)
    )
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


async def hold(drift, seed, questions, folder):
    file = claims(folder, seed, questions)
    outcome = await moot.run(study(drift, seed, file), store=folder / str(seed))
    arms = {arm.arm: arm for arm in outcome.results.arms}
    assert outcome.results.simulated
    assert not outcome.failed
    assert not outcome.stopped
    assert all(arm.n == questions and not arm.unparsed for arm in arms.values())
    return {name: arms[name].difference for name in (VOTE, DEBATE)}


def share(hits):
    hits = list(hits)
    low, high = clopper_pearson(sum(hits), len(hits))
    return {"count": sum(hits), "of": len(hits), "share": fmean(hits), "low": low, "high": high}


def figures(name, drift, truth, rows, questions):
    """What one study's repetitions come to, for each of its two comparisons."""
    for arm in (VOTE, DEBATE):
        true, differing = truth if arm == DEBATE else (0.0, None)
        found = [row[arm] for row in rows]
        sign = -1 if true < 0 else 1
        smallest = [each.smallest for each in found if each.smallest is not None]
        yield {
            "study": name,
            "arm": arm,
            "drift": drift,
            "true_difference": true,
            "mean_difference": fmean(each.mean for each in found),
            "stated_power": power_of_mcnemar(questions, abs(true), differing) if true else None,
            "found": share(
                each.p <= ALPHA and (not true or each.mean * sign > 0) for each in found
            ),
            "found_holm": share(
                each.p_holm <= ALPHA and (not true or each.mean * sign > 0) for each in found
            ),
            "outside_interval": share(not each.low <= true <= each.high for each in found),
            "smallest_stated": fmean(smallest) if smallest else None,
        }
    yield {
        "study": name,
        "arm": "any, of those without effect",
        "drift": drift,
        "found_holm": share(
            any(row[arm].p_holm <= ALPHA for arm in (VOTE, DEBATE) if arm == VOTE or not truth[0])
            for row in rows
        ),
    }


def shown(part):
    return f"{part['share']:5.1%} [{part['low']:.1%}, {part['high']:.1%}]"


def table(rows):
    print(
        f"{'study':8} {'comparison with single':28} {'true':>7} {'seen':>7} {'power':>6} "
        f"{'p <= 0.05':>22} {'corrected by Holm':>22} {'truth outside interval':>24} "
        f"{'smallest':>9}"
    )
    for row in rows:
        start = f"{row['study']:8} {row['arm']:28} "
        if "found" not in row:
            print(f"{start}{'':46}{shown(row['found_holm']):>22}")
            continue
        power, smallest = row["stated_power"], row["smallest_stated"]
        print(
            f"{start}{row['true_difference']:+7.3f} {row['mean_difference']:+7.3f} "
            f"{'' if power is None else f'{power:.1%}':>6} {shown(row['found']):>22} "
            f"{shown(row['found_holm']):>22} {shown(row['outside_interval']):>24} "
            f"{'' if smallest is None else f'{smallest:.3f}':>9}"
        )


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    drift = planted(given.questions)
    rows, took = [], time.perf_counter()
    for name, moved in (("nothing", 0.0), ("helps", drift), ("harms", -drift)):
        with TemporaryDirectory() as folder:
            found = await repeat(moved, given.repeats, given.questions, Path(folder))
        rows += figures(name, moved, expected(moved), found, given.questions)
    took = time.perf_counter() - took
    print(
        f"{given.repeats} repetitions of each study, {given.questions} questions each; planted: "
        f"truth_drift {drift:+}; simulated; {took:.0f} s"
    )
    table(rows)
    if given.json:
        told = {"repeats": given.repeats, "questions": given.questions, "seconds": took}
        given.json.write_text(json.dumps(told | {"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
