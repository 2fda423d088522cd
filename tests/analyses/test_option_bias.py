"""Option bias: planted in a simulated population it is recovered, and a null stays flat."""

import random

import pytest

from moot.analyses.option_bias import PlacedReply, measure_places


def replies(rng, n, *, toward=None, share=0.0, right_first=0.25, accuracy=0.5, each=1):
    """Draw replies to questions with four options; wrong ones prefer a place by a share."""
    made = []
    for k in range(n):
        right = 0 if rng.random() < right_first else rng.randrange(1, 4)
        tempting = rng.choice([at for at in range(4) if at != right])
        for _ in range(each):
            chosen = right if rng.random() < accuracy else tempting
            if toward is not None and rng.random() < share:
                chosen = toward
            made.append(PlacedReply(f"q{k}", chosen, right, 4))
    return made


def test_a_place_that_is_favoured_is_found():
    effects = list(measure_places(replies(random.Random(1), 200, toward=2, share=0.3)))
    favoured = effects[2]
    assert favoured.p < 0.001
    assert favoured.excess.low > 0.1
    assert favoured.accuracy.mean > effects[0].accuracy.mean
    assert sum(each.excess.mean * each.excess.n for each in effects) < 30


@pytest.mark.parametrize("times", [6, pytest.param(40, marks=pytest.mark.soak)])
def test_places_alike_are_told_apart_at_the_nominal_rate(times):
    """Where right answers crowd in one place and questions have several replies, too."""
    rng = random.Random(2)
    effects = [
        effect
        for _ in range(times)
        for effect in measure_places(replies(rng, 40, right_first=0.7, each=3))
    ]
    assert len(effects) == 4 * times
    assert sum(effect.p < 0.05 for effect in effects) / len(effects) < 0.12  # sets of four
