"""The decorator, the registry, and all metrics of one debate at once."""

from itertools import cycle
from timeit import repeat

import pytest

from moot.core.errors import InputError, UnknownName
from moot.metrics.metric import measure, metric, registry


def test_all_metrics_of_one_debate_by_hand(society):
    assert measure(society) == {
        "accuracy": 1.0,
        "cached-tokens": 64.0,
        "calls": 6.0,
        "completion-tokens": 120.0,
        "consensus": pytest.approx(2 / 3),
        "cost": pytest.approx(0.006),
        "cut-off-replies": 1.0,
        "failed": 0.0,
        "first-accuracy": 0.0,
        "kept-right": 0.0,
        "kept-wrong": 0.0,
        "oracle-gap": 0.0,
        "prompt-tokens": 600.0,
        "removed": 3.0,
        "replayed": 1.0,
        "retries": 2.0,
        "right-to-wrong": 1.0,
        "rounds": 2.0,
        "seconds": pytest.approx(3.5),
        "sweeps": None,
        "unparsed": 0.0,
        "unparsed-replies": 1.0,
        "wall-seconds": 9.0,
        "wrong-to-right": 2.0,
    }


def test_values_lie_in_their_stated_range(society, debate):
    for transcript in (society, debate(failed=True), debate(verdict=None)):
        for name, value in measure(transcript).items():
            low, high = registry.get(name).range
            assert value is None or low <= value <= (float("inf") if high is None else high), name


def test_what_is_remembered_of_one_debate_is_not_told_of_the_next(society, debate, turn):
    other = debate(turn(1, 0, 1, "7"), verdict="7")
    alone = measure(other)
    for _ in range(2):
        assert measure(society)["accuracy"] == 1.0
        assert measure(other) == alone


def test_a_metric_alone_gives_what_it_gives_among_all(society):
    together = measure(society)
    assert {name: registry.get(name)(society) for name in registry.names()} == together


def test_every_metric_says_what_it_measures():
    for one in registry:
        assert one.help.endswith((".", ":")) or len(one.help) > 20, one.name
        assert one.unit
        assert one.source


def test_a_metric_without_a_docstring_is_refused():
    def silent(transcript):
        return 1.0

    with pytest.raises(InputError, match="silent"):
        metric(unit="share", range=(0, 1))(silent)


def test_a_taken_name_is_refused():
    def accuracy(transcript):
        """Another one."""
        return 1.0

    with pytest.raises(InputError, match="accuracy"):
        metric(unit="share", range=(0, 1))(accuracy)


def test_a_misspelt_metric_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="consensus"):
        registry.get("concensus")


def test_measuring_is_cheap(society, debate, turn):
    """At most 60 µs on the machine it is meant for; five times that leaves room for a busy one."""
    debates = cycle([society, debate(turn(1, 0, 1, "4"))])
    best = min(repeat(lambda: measure(next(debates)), number=200, repeat=5)) / 200
    assert best < 300e-6
