"""Whether a method may be looked at after every question, and what that costs.

python bench/worth.py [--studies 20000] [--looks 2000] [--only PART] [--json FILE]

Of each study only its outcomes are drawn: whether a debate alone is right on a question, its vote
alone, or both alike, with a true difference that is known. All studies go on at a time, one
question after the other, and after each the sequences of `moot.statistics.sequences` are looked at,
and beside them the exact test of studies. Their bets are made again here on arrays; of some studies
each end is compared with that of `BettingSequence`.
"""

import argparse
import json
import time
from functools import cache, partial
from pathlib import Path

import numpy as np

from moot.statistics.intervals import clopper_pearson
from moot.statistics.paired import mcnemar
from moot.statistics.planning import plan
from moot.statistics.sequences import STAKES, START, BettingSequence

ALPHA, POWER, MARGIN = 0.05, 0.8, 0.05
REPLICATES, ALIKE = 5, 0.6  # of a question; the share of questions on which all come out alike
ORDERS = 20
NEVER = np.iinfo(np.int64).max
THREE = np.array([-1.0, 0.0, 1.0])


class Bets:
    """The capital of bets against one mean, in many sequences: on more, or on less than it."""

    def __init__(self, size, values, mean, *, level, on_more):
        sign = 1 if on_more else -1
        gains = (1 + sign * values) / (1 + sign * mean) - 1
        self.factors = 1 + gains[:, None] * np.array(STAKES)
        self.capital = np.tile(np.exp(START), (size, 1))
        self.goal = 2 / (1 - level)
        self.won = np.zeros(size, dtype=bool)

    def add(self, drawn):
        """Take in a value of each sequence, by its place among the values."""
        self.capital *= self.factors[drawn]
        np.minimum(self.capital, 1e200, out=self.capital)
        self.won |= self.capital.sum(axis=1) >= self.goal


class Sequences:
    """The class of a method in many studies, after each question, and whether the truth was out."""

    def __init__(self, size, values, truth, level, margin):
        more = cache(partial(Bets, size, values, level=level, on_more=True))
        less = cache(partial(Bets, size, values, level=level, on_more=False))
        self.better, self.worse = more(0.0), less(0.0)
        self.low, self.high = more(-margin), less(margin)
        self.over, self.under = more(truth), less(truth)
        self.first = {name: np.full(size, NEVER) for name in ("better", "worse", "equal")}
        self.n = 0

    def add(self, drawn):
        """Take in a question of each study."""
        self.n += 1
        every = (self.better, self.worse, self.low, self.high, self.over, self.under)
        for bets in {id(each): each for each in every}.values():
            bets.add(drawn)
        before = np.minimum.reduce([*self.first.values()]) < NEVER
        equal = self.low.won & self.high.won & ~self.better.won & ~self.worse.won
        claims = {"better": self.better.won, "worse": self.worse.won & ~self.better.won}
        for name, claimed in (claims | {"equal": equal}).items():
            self.first[name][claimed & ~before] = self.n

    @property
    def outside(self):
        """Whether the truth was ever outside the interval."""
        return self.over.won | self.under.won


class ExactTest:
    """McNemar's exact test at each look: the first at which p is at most alpha / tests."""

    def __init__(self, size, looks, tests):
        self.won, self.lost = np.zeros(size, dtype=int), np.zeros(size, dtype=int)
        self.few = np.full(looks + 1, -1)
        for m in range(1, looks + 1):
            few = int(self.few[m - 1])
            while few + 1 <= m // 2 and mcnemar(m - few - 1, few + 1) <= ALPHA / tests:
                few += 1
            self.few[m] = few
        self.claimed = np.zeros(size, dtype=bool)

    def add(self, values):
        """Take in a question of each study."""
        self.won += values > 0
        self.lost += values < 0
        least = np.minimum(self.won, self.lost)
        self.claimed |= least <= self.few[self.won + self.lost]


def draw_outcomes(random, size, difference, discordance):
    """Return an outcome of each study as a place in `THREE`."""
    lost = (discordance - difference) / 2
    drawn = random.random(size)
    return (drawn >= lost).astype(int) + (drawn >= 1 - lost - difference)


def draw_replicates(random, size, difference, discordance):
    """Return the sum of a question's replicates in each study, as its place among all."""
    alike = random.random(size) < ALIKE
    each = [draw_outcomes(random, size, difference, discordance) for _ in range(REPLICATES)]
    return np.where(alike, REPLICATES * each[0], sum(each))


def follow(random, size, looks, truth, discordance, *, level, draw=draw_outcomes, tests=1):
    """Return sequences and exact tests of so many studies after so many looks."""
    replicated = draw is draw_replicates
    values = np.linspace(-1, 1, 2 * REPLICATES + 1) if replicated else THREE
    sequences = Sequences(size, values, truth, level, MARGIN)
    exact = ExactTest(size, looks, tests)
    checked = [BettingSequence(level) for _ in range(3)]
    for look in range(looks):
        drawn = draw(random, size, truth, discordance)
        sequences.add(drawn)
        exact.add(values[drawn])
        for sequence, place in zip(checked, drawn, strict=False):
            sequence.add(float(values[place]))
        if look % 50 == 49:
            check(sequences, checked, truth)
    return sequences, exact


def check(sequences, checked, truth):
    """Check that the bets made here won where those of moot have."""
    for at, each in enumerate(checked):
        near = 1e-9
        for bets, end in (
            (sequences.better, each.low),
            (sequences.low, each.low + MARGIN),
            (sequences.over, each.low - truth),
            (sequences.worse, -each.high),
            (sequences.high, MARGIN - each.high),
            (sequences.under, truth - each.high),
        ):
            assert bets.won[at] == (end > 0) or abs(end) < near


def share(hits):
    """Return a share with its interval."""
    low, high = clopper_pearson(int(np.sum(hits)), len(hits))
    return {
        "count": int(np.sum(hits)),
        "of": len(hits),
        "share": np.mean(hits),
        "ends": (low, high),
    }


def find_false(random, size, looks, truth, discordance, methods=1, draw=draw_outcomes):
    """Return how many studies ever make a false claim of any method."""
    any_of = {name: np.zeros(size, dtype=bool) for name in ("false", "outside", "exact")}
    level = 1 - ALPHA / methods
    for _ in range(methods):
        sequences, exact = follow(
            random, size, looks, truth, discordance, level=level, draw=draw, tests=methods
        )
        first = sequences.first
        false = {"better": truth <= 0, "worse": truth >= 0, "equal": abs(truth) >= MARGIN}
        for name, wrong in false.items():
            any_of["false"] |= wrong & (first[name] < NEVER)
        any_of["outside"] |= sequences.outside
        any_of["exact"] |= exact.claimed
    found = {name: share(hits) for name, hits in any_of.items()}
    if truth or draw is draw_replicates:
        del found["exact"]  # no false claim, or another test
    return found


def measure_orders(random, size, looks):
    """Print and yield false claims of studies whose questions are counted in several orders.

    Each order by itself, and whoever tries them all and keeps the one that suits.
    """
    size = max(1, size // ORDERS)
    drawn = draw_outcomes(random, (looks, size), 0.0, 0.2)
    claims = []
    for _ in range(ORDERS):
        drawn = random.permuted(drawn, axis=0)
        sequences = Sequences(size, THREE, 0.0, 1 - ALPHA, MARGIN)
        for row in drawn:
            sequences.add(row)
        claims.append(sequences.better.won | sequences.worse.won)
    found = {"false": share(np.concatenate(claims)), "any": share(np.any(claims, axis=0))}
    print(
        f"\n{ORDERS} orders of the same questions, nothing to find: {shown(found['false'])} of "
        f"orders make a false claim; of studies any order does in {shown(found['any'])}"
    )
    yield found


def find_planted(random, size, difference, discordance):
    """Return what a planted difference takes, beside the fixed design of equal power."""
    planned = plan(abs(difference), discordance, power=POWER).shown
    looks = planned.each
    sequences, _ = follow(random, size, looks, difference, discordance, level=1 - ALPHA)
    right, wrong = ("better", "worse") if difference > 0 else ("worse", "better")
    stops = np.minimum(np.minimum.reduce([*sequences.first.values()]), looks)
    rows = random.multinomial(
        planned.once,
        [(discordance - difference) / 2, 1 - discordance, (discordance + difference) / 2],
        size,
    )
    fixed = ExactTest(size, planned.once, 1)
    fixed.won, fixed.lost = rows[:, 2], rows[:, 0]
    fixed.add(np.zeros(size))
    return {
        "fixed": planned.once,
        "found_fixed": share(fixed.claimed & ((rows[:, 2] - rows[:, 0]) * difference > 0)),
        "most": looks,
        "found": share(sequences.first[right] < NEVER),
        "wrong": share(sequences.first[wrong] < NEVER),
        "equal": share(sequences.first["equal"] < NEVER),
        "outside": share(sequences.outside),
        "mean_stop": float(np.mean(stops)),
        "median_stop": float(np.median(stops)),
        "saved": 1 - float(np.mean(stops)) / planned.once,
    }


def find_cost(random, size, truth, discordance):
    """Return what a study takes that ends when its method is settled, or at what 5 points take."""
    planned = plan(MARGIN, discordance, power=POWER).shown
    sequences, _ = follow(random, size, planned.each, truth, discordance, level=1 - ALPHA)
    stops = np.minimum(np.minimum.reduce([*sequences.first.values()]), planned.each)
    classes = {name: share(first < NEVER) for name, first in sequences.first.items()}
    mean = float(np.mean(stops))
    saved = 1 - mean / planned.once
    return {"most": planned.each, "fixed": planned.once, "mean": mean, "saved": saved, **classes}


def shown(part):
    """Return a share in words."""
    low, high = part["ends"]
    return f"{part['share']:.1%} [{low:.1%}, {high:.1%}]".replace("%", " %")


def measure_false(random, size, looks):
    """Print and return false claims where all is looked at after each question."""
    worlds = [("nothing", 0.0, d, 1, draw_outcomes) for d in (0.1, 0.2, 0.4)]
    worlds += [("nothing, four methods", 0.0, 0.2, 4, draw_outcomes)]
    worlds += [("at the margin, gain", MARGIN, d, 1, draw_outcomes) for d in (0.1, 0.2, 0.4)]
    worlds += [("at the margin, loss", -MARGIN, 0.2, 1, draw_outcomes)]
    worlds += [("at the margin, four methods", MARGIN, 0.2, 4, draw_outcomes)]
    worlds += [("nothing, five replicates", 0.0, 0.4, 1, draw_replicates)]
    print("| world | true | differ on | false claims | truth ever outside | exact test so used |")
    print("|---|---|---|---|---|---|")
    for name, truth, discordance, methods, draw in worlds:
        found = find_false(random, size, looks, truth, discordance, methods, draw)
        exact = shown(found["exact"]) if "exact" in found else "–"
        print(
            f"| {name} | {100 * truth:+g} | {100 * discordance:g} % | {shown(found['false'])} "
            f"| {shown(found['outside'])} | {exact} |",
            flush=True,
        )
        yield {"world": name, "true": truth, "discordance": discordance, **found}


def measure_planted(random, size):
    """Print and return what planted differences take."""
    print(
        "\n| planted | differ on | at the end | found | after each, at most | found "
        "| wrong way | mean | median | saved |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for discordance in (0.1, 0.2, 0.4):
        for difference in (0.05, -0.05, 0.1, -0.1, 0.15, -0.15):
            if abs(difference) > discordance:
                continue
            found = find_planted(random, size, difference, discordance)
            print(
                f"| {100 * difference:+g} | {100 * discordance:g} % | {found['fixed']:,} "
                f"| {found['found_fixed']['share']:.1%} | {found['most']:,} "
                f"| {shown(found['found'])} | {found['wrong']['share']:.2%} "
                f"| {found['mean_stop']:,.0f} | {found['median_stop']:,.0f} "
                f"| {found['saved']:+.0%} |".replace("%", " %").replace("  %", " %"),
                flush=True,
            )
            yield {"planted": difference, "discordance": discordance, **found}


def measure_cost(random, size):
    """Print and return what is taken where the truth is not what a study was planned for."""
    print("\n| true | better | worse | equal | open | mean questions | saved |")
    print("|---|---|---|---|---|---|---|")
    for truth in (-0.1, 0.0, 0.025, 0.05, 0.1, 0.15, 0.2):
        found = find_cost(random, size, truth, 0.2)
        shares = [found[name]["share"] for name in ("better", "worse", "equal")]
        words = " | ".join(f"{100 * each:.1f} %" for each in [*shares, 1 - sum(shares)])
        print(
            f"| {100 * truth:+g} | {words} | {found['mean']:,.0f} of {found['most']:,} "
            f"| {100 * found['saved']:+.0f} % |",
            flush=True,
        )
        yield {"true": truth, "discordance": 0.2, **found}


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=20_000)
    parser.add_argument("--looks", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("false", "planted", "cost", "orders"))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    began = time.perf_counter()
    parts = {
        "false": lambda random: measure_false(random, given.studies, given.looks),
        "planted": lambda random: measure_planted(random, given.studies),
        "cost": lambda random: measure_cost(random, given.studies),
        "orders": lambda random: measure_orders(random, given.studies, given.looks),
    }
    rows = []
    for number, (name, part) in enumerate(parts.items()):
        if given.only in {None, name}:
            rows += part(np.random.default_rng(given.seed + number))
    took = time.perf_counter() - began
    print(f"\n{given.studies:,} studies, {given.looks:,} looks, {took:.0f} s")
    if given.json:
        told = {"studies": given.studies, "looks": given.looks, "seconds": took, "rows": rows}
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
