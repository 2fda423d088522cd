"""How often the intervals of a league's ratings hold the truth.

python bench/ratings.py [--repeats 200] [--json FILE]

Each repetition is a league of players of known strength: every two meet once on each motion, and a
match is a draw in one of ten cases. In some rows strengths also differ from motion to motion, by a
standard deviation of 1.
"""

import argparse
import json
from itertools import combinations
from math import exp
from pathlib import Path
from random import Random

from moot.contrib.league.league_scores import RIDGE
from moot.statistics.strengths import measure_strengths

DRAWN = 0.1
LEAGUES = {
    "2 even players, 8 motions": ((0, 0), 8, 0.0),
    "3 even players, 8 motions": ((0, 0, 0), 8, 0.0),
    "3 even players, 8 unlike motions": ((0, 0, 0), 8, 1.0),
    "4 even players, 8 motions": ((0, 0, 0, 0), 8, 0.0),
    "6 even players, 8 motions": ((0, 0, 0, 0, 0, 0), 8, 0.0),
    "3 even players, 20 motions": ((0, 0, 0), 20, 0.0),
    "4 players, best 20 times as good as the last, 8 motions": ((1.5, 0.5, -0.5, -1.5), 8, 0.0),
    "4 players, best 400 times as good as the last, 8 motions": ((3, 1, -1, -3), 8, 0.0),
}


def measure(strengths, motions, spread, repeats):
    """The share of intervals that hold the true strength."""
    chance = Random(1)
    names = [f"player {place}" for place in range(len(strengths))]
    held = 0
    for _ in range(repeats):
        judged = []
        for motion in range(motions):
            own = [strength + spread * chance.gauss(0, 1) for strength in strengths]
            for one, other in combinations(range(len(names)), 2):
                wins = chance.random() < 1 / (1 + exp(own[other] - own[one]))
                worth = 0.5 if chance.random() < DRAWN else float(wins)
                judged.append((str(motion), names[one], names[other], worth))
        found, _ = measure_strengths(judged, ridge=RIDGE, resamples=500)
        held += sum(
            found[name].low <= true <= found[name].high
            for name, true in zip(names, strengths, strict=True)
        )
    return held / repeats / len(names)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=200)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    found = {}
    for name, league in LEAGUES.items():
        found[name] = measure(*league, chosen.repeats)
        print(f"{100 * found[name]:5.1f} %  {name}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
