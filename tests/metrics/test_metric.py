"""The decorator, the registry, and all metrics of one debate at once."""

import sys

import pytest

from moot.core.errors import InputError, UnknownName
from moot.metrics.by_round import measure_rounds
from moot.metrics.metric import measure, metric, registry

OF_ESSAYS = {
    *("critic-yielded", "essay-cut", "essay-distinct-pairs", "essay-repetition"),
    *("essay-sentences", "essay-words", "personas-read", "plan-points"),
    *("quotes", "quotes-found", "rounds-to-yield"),
}
"""Of a debate that is no essay's, none of these is known; see ``test_essays.py``."""


SOCIETY = {
    "accuracy": 1.0, "agent-accuracy": pytest.approx(2 / 3),
    "agent-any-unparsed": pytest.approx(1 / 3), "agent-last-unparsed": 0.0, "all-wrong": 0.0,
    "answers-per-agent": pytest.approx(5 / 3), "any-correct": 1.0,
    "bullied-by-other": pytest.approx(1 / 3), "bullied-by-other-of-all": pytest.approx(1 / 3),
    "cacheable": None, "cached": pytest.approx(64 / 600), "cached-tokens": 64.0, "calls": 6.0,
    "change-rate": 1.0, "change-rate-of-all": 1.0, "changed": 3.0, "changed-of-all": 3.0,
    "characters-per-reply": pytest.approx(26.5 / 3), "completion-tokens": 120.0,
    "completion-tokens-per-agent": 40.0, "completion-tokens-per-reply": 20.0,
    "completion-tokens-per-round": 20.0, "drift": pytest.approx(1 / 3), "escape": None,
    "first-vote-accuracy": 0.0, "lost": 0.0, "consensus": pytest.approx(2 / 3),
    "consensus-accuracy": 1.0, "correct-rounds": 1.0, "correct-rounds-share": 0.5,
    "cost": pytest.approx(0.006), "cost-per-agent": pytest.approx(0.002),
    "cost-per-reply": pytest.approx(0.001), "cost-per-round": pytest.approx(0.001),
    "cut-off-replies": 1.0, "failed": 0.0, "first-accuracy": 0.0,
    "first-consensus": pytest.approx(1 / 3), "first-correct-round": pytest.approx(5 / 3),
    "first-diversity": 1.0, "gain-to-last": 1.0, "gain-to-verdict": 1.0, "kept-right": 0.0,
    "kept-right:2": 0.0, "kept-wrong": 0.0, "kept-wrong:2": 0.0, "invented-answers": None,
    "listed-answers": None, "nodes-agree": None, "opening-followed": None, "oracle-gap": 0.0,
    "parsed-change-rate": 1.0, "parsed-changed": 2.0, "parsed-changed-of-all": 2.0,
    "parsed-consensus": pytest.approx(2 / 3), "prompt-tokens": 600.0,
    "prompt-tokens-per-agent": 200.0, "prompt-tokens-per-reply": 100.0,
    "prompt-tokens-per-round": 100.0, "reasoning-tokens": 0.0, "reasoning-tokens-per-agent": 0.0,
    "reasoning-tokens-per-reply": 0.0, "reasoning-tokens-per-round": 0.0,
    "relied-on-other": pytest.approx(2 / 3), "relied-on-other-of-all": pytest.approx(2 / 3),
    "removed": 3.0, "removed-per-reply": pytest.approx(0.5), "batched": 0.0, "batch-saving": 0.0,
    "replayed": 1.0, "retries": 2.0, "right-to-wrong": 1.0, "right-to-wrong:2": 1.0,
    "round:1": pytest.approx(1 / 3), "round:2": pytest.approx(2 / 3), "rounds": 2.0,
    "seconds": pytest.approx(3.5), "seconds-per-agent": pytest.approx(2.75),
    "seconds-per-reply": pytest.approx(1.375), "seconds-per-round": pytest.approx(1.375),
    "supports-affirmative": None, "supports-first-speaker": None, "supports-shown-first": None,
    "sweeps": None, "thought-only-replies": 0.0, "unanimous": 0.0, "unique-first-answers": 3.0,
    "unique-parsed-first-answers": 2.0, "unparsed": 0.0, "unparsed-replies": 1.0,
    "wall-seconds": 9.0, "wrong-to-right": 2.0, "wrong-to-right:2": 2.0,
}  # fmt: skip
"""All other metrics of the society of three minds and two rounds."""


def test_all_metrics_of_one_debate_by_hand(society):
    assert measure(society) == dict.fromkeys(OF_ESSAYS) | SOCIETY


def test_what_is_remembered_of_one_debate_is_not_told_of_the_next(society, debate, turn):
    other = debate(turn(1, 0, 1, "7"), verdict="7")
    alone = measure(other)
    for _ in range(2):
        assert measure(society)["accuracy"] == 1.0
        assert measure(other) == alone


def test_a_metric_alone_gives_what_it_gives_among_all(society):
    together = measure(society)
    alone = {name: registry.get(name)(society) for name in registry.names()}
    assert alone | measure_rounds(society) == together


def test_what_is_no_new_metric_is_refused():
    def silent(transcript):
        return 1.0

    def accuracy(transcript):
        """Another one."""
        return 1.0

    for made in (silent, accuracy):
        with pytest.raises(InputError, match=made.__name__):
            metric(unit="share", range=(0, 1))(made)
    with pytest.raises(UnknownName, match="consensus"):
        registry.get("concensus")


def count_calls(function, *arguments):
    """Return how many functions are called, Python's and others: no other process disturbs it."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return calls


def test_measuring_is_cheap(society, debate, turn):
    """A debate of six turns takes 524 calls, and each turn adds as many, however long it is."""
    measure(society)  # what is imported once is not counted
    assert count_calls(measure, society) < 700

    def talk(turns):
        said = [turn(number, number % 3, 1 + number // 3, "4") for number in range(turns)]
        return count_calls(measure, debate(*said))

    short, long, longer = talk(30), talk(60), talk(120)
    assert longer - long < 2.2 * (long - short)
