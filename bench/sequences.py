"""How soon confidence sequences of a mean difference settle: moot's, and those it could be.

python bench/sequences.py [--studies 200]           some 5 minutes

Three ways to bet, of Waudby-Smith and Ramdas (arXiv 2010.09686): constant stakes side by side, as
moot has them; one stake that follows the spread seen so far, as their package `confseq` has it if
not told otherwise; and one that follows spread and mean (their approximate Kelly bets). And the
Dirichlet mixture of Lindon and Malek (arXiv 2011.03567), a likelihood ratio of all three outcomes
together, with three priors. Each at 95 %, of the same draws.
"""

import argparse
from functools import partial

import numpy as np
from scipy.special import gammaln

from moot.statistics.sequences import STAKES, START

ALPHA, MARGIN = 0.05, 0.05
LOOKS = (50, 100, 200, 500, 1000, 2000)
GRID = np.linspace(-1.0, 1.0, 801)[1:-1]  # candidates for the difference
PRIORS = {"1, 1, 1": (1, 1, 1), "½, ½, ½": (0.5, 0.5, 0.5), "½, 4, ½": (0.5, 4, 0.5)}
REPLICATES = 5
SIDES = (1, -1)  # bets on more, on less


def bet_stakes(values, candidates, looks):
    """Yield at each look how far, in logs, moot's bets on more and on less are beyond the goal."""
    kinds = np.unique(values)
    counts = np.stack([(values == kind).cumsum(axis=1) for kind in kinds], axis=2)
    for n in looks:
        capital = np.full((2, len(values), len(candidates)), -np.inf)
        for side, sign in enumerate(SIDES):
            gains = (1 + sign * kinds[:, None]) / (1 + sign * candidates) - 1
            for stake, start in zip(STAKES, START, strict=True):
                own = start + counts[:, n - 1] @ np.log(1 + stake * gains)
                capital[side] = np.logaddexp(capital[side], own)
        yield capital - np.log(2 / ALPHA)


def bet_adapted(values, candidates, looks, *, mean_too):
    """Yield the same of one stake, at most half of what can be lost.

    It follows the spread of what was seen before, or its mean, too.
    """
    size, looks = len(values), set(looks)
    capital = np.zeros((2, size, len(candidates)))
    total, spread = np.full(size, 0.5), np.full(size, 0.25)
    for n, value in enumerate(values.T[: max(looks)], 1):
        share, mean, variance = (1 + value) / 2, total / n, (spread / n)[:, None]
        for side, sign in enumerate(SIDES):
            m, gap = (1 + sign * candidates) / 2, sign * (value[:, None] - candidates) / 2
            stake = np.sqrt(2 * np.log(2 / ALPHA) / (n * np.log(1 + n) * variance))
            if mean_too:
                seen = sign * (mean[:, None] - (1 + candidates) / 2)
                stake = np.maximum(seen / (variance + seen**2), 0)
            capital[side] += np.log1p(np.minimum(stake, 0.5 / m) * gap)
        total = total + share
        spread = spread + (share - total / (n + 1)) ** 2
        if n in looks:
            yield capital - np.log(2 / ALPHA)


def mix_outcomes(values, candidates, looks, *, prior):
    """Yield the same of the Dirichlet mixture: against all shares with a candidate's difference."""
    prior, kinds = np.array(prior, dtype=float), np.array([1.0, 0.0, -1.0])
    counts = np.stack([(values == kind).cumsum(axis=1) for kind in kinds], axis=2)
    for n in looks:
        seen = counts[:, n - 1]
        mixed = gammaln(prior.sum()) - gammaln(prior.sum() + n)
        mixed += (gammaln(prior + seen) - gammaln(prior)).sum(axis=1)
        ratio = mixed[:, None] - find_likelihood(seen, candidates) - np.log(1 / ALPHA)
        more = ((seen @ kinds) / n)[:, None] > candidates
        yield np.stack([np.where(more, ratio, -np.inf), np.where(more, -np.inf, ratio)])


def find_likelihood(counts, candidates):
    """Return the greatest likelihood, in logs, of outcomes with each difference.

    The shares are counts / n / (1 + tilt (value - difference)), as in empirical likelihood; what
    they lack to 1 is of an outcome that was never seen.
    """
    gaps = np.array([1.0, 0.0, -1.0]) - candidates[:, None]
    seen, n = counts[:, None, :], counts.sum(axis=1)[:, None]
    shape = (len(counts), len(candidates))
    least = np.broadcast_to(-1 / (1 - candidates), shape) * (1 - 1e-12)
    most = np.broadcast_to(1 / (1 + candidates), shape) * (1 - 1e-12)
    for _ in range(45):
        tilt = (least + most) / 2
        slope = (seen * gaps / (1 + tilt[..., None] * gaps)).sum(axis=2)
        least, most = np.where(slope > 0, tilt, least), np.where(slope > 0, most, tilt)
    logs = np.log(n[..., None]) + np.log(1 + ((least + most) / 2)[..., None] * gaps)
    known = np.where(seen > 0, np.log(np.maximum(seen, 1)) - logs, 0.0)
    return (seen * known).sum(axis=2)


KINDS = {
    "stakes side by side (moot)": bet_stakes,
    "one stake, by spread (confseq)": partial(bet_adapted, mean_too=False),
    "one stake, by spread and mean": partial(bet_adapted, mean_too=True),
}
KINDS |= {
    f"Dirichlet mixture, {name}": partial(mix_outcomes, prior=prior)
    for name, prior in PRIORS.items()
}


def draw(random, size, looks, difference, discordance, replicates=1):
    """Return outcomes of studies: -1, 0 and 1, or the means of a question's replicates."""
    lost = (discordance - difference) / 2
    drawn = random.random((replicates, size, looks))
    sums = (drawn >= 1 - lost - difference).sum(axis=0) - (drawn < lost).sum(axis=0)
    return sums / replicates


def measure_widths(random, size):
    """Print the mean widths of intervals, in points."""
    worlds = [(d, diff, 1) for d in (0.1, 0.2, 0.4) for diff in (0, 0.05, 0.1, 0.15) if diff <= d]
    worlds += [(0.4, 0.0, REPLICATES), (0.4, 0.1, REPLICATES)]
    print(f"\n| differ on | true | width | {' | '.join(map(str, LOOKS))} |")
    print(f"|---|---|---|{'---|' * len(LOOKS)}")
    for discordance, difference, replicates in worlds:
        values = draw(random, size, max(LOOKS), difference, discordance, replicates)
        for name, kind in KINDS.items():
            if replicates > 1 and "Dirichlet" in name:
                continue  # of three outcomes alone
            widths = []
            for beyond in kind(values, GRID, LOOKS):
                inside = (beyond < 0).all(axis=0).sum(axis=1) + 1
                widths.append(f"{100 * inside.mean() * (GRID[1] - GRID[0]):.1f}")
            means = ", means of 5" * (replicates > 1)
            print(
                f"| {100 * discordance:g} %{means} | {100 * difference:+g} | {name} | "
                f"{' | '.join(widths)} |",
                flush=True,
            )


def measure_stops(random, size):
    """Print by how many questions half of studies, and 80 % of them, have settled."""
    worlds = [(d, g) for d in (0.1, 0.2, 0.4) for g in (0.05, 0.1, 0.15) if g <= d]
    print("\n| differ on | to show | settled | half | 80 % |\n|---|---|---|---|---|")
    for discordance, difference in (*worlds, *((d, 0.0) for d in (0.1, 0.2, 0.4))):
        most = round(30 * discordance / (difference or MARGIN) ** 2) + 100
        values = draw(random, size, most, difference, discordance)
        candidates = np.array([0.0] if difference else [-MARGIN, MARGIN])
        for name, kind in KINDS.items():
            first = np.full((size, len(candidates)), most + 1)
            for n, beyond in enumerate(kind(values, candidates, range(1, most + 1)), 1):
                passed = beyond[0, :, :1] if difference else np.diagonal(beyond, axis1=0, axis2=2)
                first = np.where((passed >= 0) & (first > n), n, first)
            ends = np.quantile(first.max(axis=1), [0.5, 0.8], method="higher")
            words = [f"{end:,}" if end <= most else f"> {most:,}" for end in ends]
            target = f"{100 * difference:+g}" if difference else f"within {100 * MARGIN:g}"
            print(
                f"| {100 * discordance:g} % | {target} | {name} | {' | '.join(words)} |", flush=True
            )


def main():
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=200)
    given = parser.parse_args()
    random = np.random.default_rng(0)
    measure_stops(random, given.studies)
    measure_widths(random, max(1, given.studies // 4))


if __name__ == "__main__":
    main()
