"""Transfer of settings: what is chosen where, that no score is of what chose it, known answers."""

from collections import Counter
from random import Random
from statistics import fmean, stdev

import pytest

from moot.analyses.transfer import measure_transfer
from moot.core.errors import InputError
from moot.core.results import Mean
from moot.core.stored import Arm, DebateValues

DATASETS = ("medqa", "pubmedqa", "mmlu", "cosmosqa", "ciar", "gpqa")


def arms(*names, protocol="society-of-minds"):
    return [Arm(name=name, protocol=protocol, settings={}) for name in names]


def row(arm, dataset, question, accuracy, replicate=0):
    values = {"accuracy": accuracy}
    return DebateValues(arm, dataset, str(question), replicate, failed=False, values=values)


def drawn(truth, n, seed):
    """Debates that are right as often as is true of their arm on their dataset."""
    rng = Random(seed)
    return [
        row(arm, dataset, question, float(rng.random() < share))
        for (arm, dataset), share in truth.items()
        for question in range(n)
    ]


def test_each_choice_is_made_where_it_says():
    """A is better on the first dataset of each domain, B on the second, C on those of the other."""
    right = {"A": "1000", "B": "0110", "C": "0011"}
    rows = [
        row(arm, dataset, question, float(bit))
        for arm, bits in right.items()
        for dataset, bit in zip(("medqa", "mmlu", "ciar", "gpqa"), bits, strict=True)
        for question in range(4)
    ]
    found = measure_transfer(rows, arms=arms("A", "B", "C"))
    by = {each.dataset: each for each in found.datasets}
    assert {name: next(iter(by["medqa"].chosen[name])) for name in by["medqa"].chosen} == {
        "best": "A",
        "folds": "A",
        "same_domain": "B",  # best on mmlu
        "other_domain": "C",  # best on ciar and gpqa together
    }
    assert by["medqa"].chosen["folds"] == {"A": 4}
    figures = [by["medqa"].best, by["medqa"].folds, by["medqa"].same_domain, by["medqa"].average]
    assert [round(each.mean, 3) for each in figures] == [1.0, 1.0, 0.0, 0.333]
    assert next(iter(by["gpqa"].chosen["same_domain"])) == "B"  # ciar: B and C, the first counts
    medical = found.overall[0]
    assert (medical.domain, medical.dataset, medical.best.mean) == ("medical", None, 1.0)
    assert medical.other_domain.mean == fmean(
        by[each].other_domain.mean for each in ("medqa", "mmlu")
    )


def test_a_planted_difference_between_domains_is_found():
    good = {("A", each): 0.8 if each in DATASETS[:3] else 0.4 for each in DATASETS}
    good |= {("B", each): 0.4 if each in DATASETS[:3] else 0.8 for each in DATASETS}
    found = measure_transfer(drawn(good, 150, seed=1), arms=arms("A", "B"))
    assert found.domains == {"medical": DATASETS[:3], "other": DATASETS[3:]}
    for each in found.overall:
        for figure, truth in (
            *((each.folds, 0.8), (each.same_domain, 0.8), (each.other_domain, 0.4)),
            *((each.average, 0.6), (each.tuning, 0.2), (each.transfer, 0.4)),
        ):
            assert figure.low < truth < figure.high
            assert figure.high - figure.low < 0.15
            assert figure.questions == 450


def test_chance_makes_the_best_look_good_and_nothing_else():
    """Ten arms, all right half the time: so is what is chosen on other questions."""
    names = [f"arm {n}" for n in range(10)]
    truth = {(name, dataset): 0.5 for dataset in ("medqa", "mmlu", "ciar") for name in names}
    every = [
        measure_transfer(drawn(truth, 40, seed), arms=arms(*names)).datasets for seed in range(12)
    ]
    gains = [each.tuning for datasets in every for each in datasets]
    assert all(gain.low < 0 < gain.high for gain in gains)  # the choosing is in the interval
    found = [datasets[0] for datasets in every]
    scores = {
        name: [getattr(each, name).mean for each in found]
        for name in ("best", "folds", "same_domain", "other_domain", "tuning")
    }
    assert min(scores["best"]) > 0.5
    assert fmean(scores["best"]) > 0.6
    for name, expected in (
        *(("folds", 0.5), ("same_domain", 0.5), ("other_domain", 0.5)),
        ("tuning", 0.0),
    ):
        error = stdev(scores[name]) / len(found) ** 0.5
        assert abs(fmean(scores[name]) - expected) < 4 * error


def test_what_a_question_says_has_no_part_in_the_choice_for_it():
    rng, questions = Random(21), range(30)  # neither arm is always chosen
    right = {(arm, q): float(rng.random() < 0.5) for arm in "AB" for q in questions}
    rows = [row(arm, "gpqa", q, value) for (arm, q), value in right.items()]
    each = measure_transfer(rows, arms=arms("A", "B"), folds=30).datasets[0]
    rest = {
        (arm, q): sum(right[arm, other] for other in questions if other != q) for arm, q in right
    }
    chosen = ["A" if rest["A", q] >= rest["B", q] else "B" for q in questions]
    assert each.chosen["folds"] == Counter(chosen)
    assert each.folds.mean == fmean(right[arm, q] for arm, q in zip(chosen, questions, strict=True))


def test_arms_are_compared_on_the_debates_that_all_of_them_have():
    rows = [row("A", "gpqa", q, 1.0) for q in range(9)]
    rows += [row("B", "gpqa", q, float(q < 3)) for q in range(6)]
    rows += [row("B", "gpqa", 7, None)]
    each = measure_transfer(rows, arms=arms("A", "B")).datasets[0]
    assert (each.average.questions, each.average.mean, each.best.n) == (6, 0.75, 6)
    alone = measure_transfer([row("A", "gpqa", 1, 1.0)], arms=arms("A", "B"))
    assert (alone.datasets, alone.overall) == ((), ())


def test_replicates_of_a_question_are_in_one_fold():
    rows = [row(arm, "gpqa", q, 1.0, r) for arm in "AB" for q in range(2) for r in range(5)]
    each = measure_transfer(rows, arms=arms("A", "B"), folds=10).datasets[0]
    assert each.chosen["folds"] == {"A": 2}
    assert (each.folds.n, each.folds.questions) == (10, 2)
    single = measure_transfer([each for each in rows if each.question == "0"], arms=arms("A", "B"))
    assert (single.datasets[0].folds, single.datasets[0].tuning) == (Mean(), Mean())
    assert measure_transfer(rows, arms=arms("A")).datasets[0].tuning == Mean()


def test_a_fold_alone_is_none_to_choose_on():
    with pytest.raises(InputError, match="folds = 1"):
        measure_transfer([], arms=[], folds=1)
