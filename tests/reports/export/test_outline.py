from math import sqrt
from statistics import mean, stdev

import pytest

from moot.reports.export.outline import ExportPart, Outline


def outline(store, run):
    made = Outline()
    for values in store.values(run.id):
        made.add(run, values)
    return made


def test_every_arm_on_every_dataset_is_a_part_of_its_own(store, run):
    parts = outline(store, run).parts
    found = {
        (key.arm, key.dataset): (part.debates, part.failed, part.questions, part.replicates)
        for key, part in parts.items()
    }
    assert found == {
        ("pair", "open"): (1, 0, 1, 1),
        ("pair", "sums"): (4, 0, 3, 2),
        ("single", "sums"): (2, 1, 2, 1),
    }


def test_accuracy_is_over_questions_and_its_error_too(store, run):
    by = {(key.arm, key.dataset): part for key, part in outline(store, run).parts.items()}
    assert by["pair", "open"].accuracy() is None
    questions = [1.0, 1.0, 0.5]  # the sum is right in one of its two replicates
    expected = (mean(questions), stdev(questions) / sqrt(3))
    assert by["pair", "sums"].accuracy() == pytest.approx(expected)
    assert by["single", "sums"].accuracy() == pytest.approx((0.5, 0.5))
    assert ExportPart().accuracy() is None


def test_means_are_over_the_debates_in_which_a_metric_is_known(store, run):
    by = {(key.arm, key.dataset): part for key, part in outline(store, run).parts.items()}
    means = dict(by["pair", "sums"].means())
    assert means["cost"] == 0.5
    assert means["prompt-tokens"] == 100  # one debate's are unknown
    assert means["cached-tokens"] == 10
