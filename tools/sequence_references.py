"""Record what ``confseq`` 0.0.11 says of some values, for tests/statistics/test_sequences.py.

python tools/sequence_references.py                in an environment of its own

``confseq`` is the package of the authors of arXiv 2010.09686. It wants numpy below 2, scipy,
matplotlib, pandas and multiprocess; of it, ``confseq.betting`` alone is used, which needs no
compiler: unpack the source and set PYTHONPATH to its ``src``. Its martingale is given our bets: one
constant stake each, with our weights. It is looked at where 2 / (1 - level) is reached, by
bisection and not on its grid of 1,000 means, and the ends of all looks are intersected.
"""

import json
import random
from functools import partial
from pathlib import Path

from confseq.betting import diversified_betting_mart  # type: ignore[import-not-found]

FILE = Path(__file__).resolve().parents[1] / "tests/fixtures/sequences/confseq.json"
STAKES = [0.8 / 2**k for k in range(10)]
PARTS = [1, 1, 1, 1] + [4.0**-k for k in range(1, 7)]
LOOKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 300)


def stake(share: float, _: object, mean: float) -> float:
    """Return the bet that may lose this share of the capital."""
    return share / mean


def bet(values: list[float], mean: float) -> list[float]:
    """Return the capital of bets on more than a mean, after each value; all from 0 to 1."""
    import numpy as np

    bets = [partial(stake, share) for share in STAKES]
    weights = [part / sum(PARTS) for part in PARTS]
    capital = diversified_betting_mart(
        np.array(values), mean, bets, bets, weights, theta=1, trunc_scale=1, m_trunc=True
    )
    return [float(each) for each in capital]


def find_low(values: list[float], level: float) -> float:
    """Return the greatest mean that these values, and some before them, speak against."""
    low, high = 0.0, 1.0
    for _ in range(45):
        middle = (low + high) / 2
        passed = max(bet(values, middle)) >= 2 / (1 - level)
        low, high = (middle, high) if passed else (low, middle)
    return low


def record(name: str, values: list[float], level: float) -> dict[str, object]:
    """Return values between -1 and 1 with the ends after some of them."""
    shares = [(1 + value) / 2 for value in values]
    ends = [
        [
            look,
            2 * find_low(shares[:look], level) - 1,
            1 - 2 * find_low([1 - each for each in shares[:look]], level),
        ]
        for look in LOOKS
    ]
    return {"name": name, "level": level, "values": values, "ends": ends}


def main() -> None:
    """Write the file."""
    draw = random.Random(20101)
    fractions = [part / 5 for part in range(-5, 6)]
    made = [
        record("no difference", draw.choices([-1, 0, 1], [1, 8, 1], k=300), 0.95),
        record("a gain, four methods", draw.choices([-1, 0, 1], [1, 7, 3], k=300), 0.9875),
        record("a loss, often unlike", draw.choices([-1, 0, 1], [5, 5, 2], k=300), 0.95),
        record("five replicates", [draw.choice(fractions) for _ in range(300)], 0.95),
        record("any values", [round(draw.betavariate(3, 2) * 2 - 1, 6) for _ in range(300)], 0.9),
    ]
    FILE.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(each) for each in made)
    FILE.write_text(f'{{"source": "confseq 0.0.11", "sequences": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
