"""Measures of arms: means and differences by hand, over propositions, of equally many essays."""

from collections import Counter

import pytest

from moot.contrib.essays.assess.essay_grades import EssayGrade, read_grade
from moot.contrib.essays.assess.essay_measures import (
    BLEU,
    MEASURES,
    REPETITION,
    WORDS,
    ArmEssays,
    MeasureValue,
    measure_essays,
    tabulate_differences,
    tabulate_measures,
)
from moot.contrib.essays.run_essays import Essay, RunEssays


def arm(name, **values):
    """An arm with measures: of each proposition its values, and of how many essays they are."""
    made = {
        measure: {
            question: MeasureValue([float(value) for value in own], essays)
            for question, (own, essays) in values.get(measure.replace("-", "_"), {}).items()
        }
        for measure in MEASURES
    }
    return ArmEssays(name, {}, made)


def differences(base, *others):
    """Arm, heading, difference, p, Holm's p and propositions of each row, and the whole table."""
    table = tabulate_differences("town", [base, *others], base)
    return [row.cells for row in table.rows], table


BASE = arm(
    "base",
    self_bleu={"a": ([40], 7), "b": ([60], 7)},
    words={"a": ([100] * 7, 7), "b": ([200] * 7, 7)},
)


def test_means_and_differences_are_as_by_hand():
    other = arm(
        "other",
        self_bleu={"a": ([30], 7), "b": ([40], 7)},
        words={"a": ([150] * 7, 7), "b": ([200] * 7, 7)},
    )
    alike, length = tabulate_measures("town", [BASE, other], BASE)
    [_, bleu, _] = alike.rows[0].cells
    assert (bleu.mean, bleu.low, bleu.high, bleu.n) == (50.0, 40.0, 60.0, 2)
    [_, words, _] = length.rows[0].cells
    assert (words.mean, words.n, words.questions) == (150.0, 14, 2)
    assert [row.marked for row in alike.rows] == [True, False]
    rows, _ = differences(BASE, other)
    name, heading, gap, p, _, n = rows[0]
    assert (name, heading, n) == ("other", "S-BLEU", 2)
    assert (gap.mean, gap.low, gap.high) == (-15.0, -20.0, -10.0)
    assert p == pytest.approx(0.5, abs=0.02)  # of four changes of sign, two are as extreme
    assert (rows[1][1], rows[1][2].mean) == ("words", 25.0)


def test_propositions_with_more_essays_in_one_arm_are_left_out_of_what_is_of_all_together():
    own = {"a": ([40], 7), "b": ([60], 6)}
    base = arm("base", self_bleu=own, words={"a": ([1] * 7, 7), "b": ([1] * 6, 6)})
    own = {"a": ([30], 7), "b": ([40], 7), "c": ([1], 7)}
    other = arm("other", self_bleu=own, words={"a": ([2] * 7, 7), "b": ([2] * 7, 7)})
    (bleu, words), table = differences(base, other)
    assert (bleu[2].mean, bleu[5], bleu[2].low) == (-10.0, 1, None)
    assert (words[2].mean, words[5]) == (1.0, 2)
    assert "Up to 1 proposition left out of a difference" in table.note


def test_the_correction_is_over_the_arms_of_a_measure_and_too_few_propositions_are_told():
    few, more = ({str(n): ([value], 7) for n in range(8)} for value in (40, 41))
    others = (arm("other", self_bleu=more), arm("third", self_bleu=more))
    rows, table = differences(arm("base", self_bleu=few), *others)
    assert [(row[3], row[4]) for row in rows] == [(2 / 2**8, 2 * 2 / 2**8)] * 2
    told = "other: S-BLEU +1.0 against base (8 propositions, p (Holm) = 0.016)."
    assert table.findings[0] == told
    _, table = differences(BASE, BASE._replace(arm="other"))
    assert table.findings == ("2 propositions can show no difference: 2 methods need 6.",)
    values = {str(n): ([40 + n % 5], 7) for n in range(20)}
    flat = {str(n): ([40], 7) for n in range(20)}
    _, table = differences(arm("base", self_bleu=flat), arm("other", self_bleu=values))
    assert "S-BLEU +2.0 against base (+1.4 … +2.6, 20 propositions" in table.findings[0]
    assert "one of 0.9 is found in 80 % of studies" in table.findings[0]


def essay(arm, question, replicate, text):
    asked = {"dataset": "town", "question": question, "proposition": "Cats are better"}
    return Essay(arm=arm, replicate=replicate, text=text, **asked)


def test_what_lacks_an_embedding_or_a_point_is_not_measured():
    one, other = essay("base", "m0", 0, "one text"), essay("base", "m0", 1, "one text")
    alone = essay("base", "m1", 0, "a third")
    found = RunEssays([one, other, alone], {("town", "base"): {}, ("town", "none"): {}})
    vectors = {"one text": [1.0, 0.0], "a third": [0.0, 1.0], "a point": [1.0, 1.0]}
    points = {one: ("a point",), other: ("a point",)}
    base, none = measure_essays(found, vectors, points)
    assert base.values[BLEU] == {"m0": MeasureValue([100.0], 2)}
    assert base.values["self-embedding"] == {"m0": MeasureValue([1.0], 2)}
    assert base.values["perspective"] == {"m0": MeasureValue([pytest.approx(1.0)], 2)}
    assert base.values[WORDS]["m1"] == MeasureValue([2.0], 1)
    assert REPETITION not in {name for name, own in base.values.items() if own}
    assert not any(none.values.values())
    base, _ = measure_essays(found, {"one text": [1.0, 0.0]}, points)
    assert not base.values["self-embedding"]
    assert not base.values["perspective"]


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([1.0], None, None),
        ([1.0] * 8, 1, 2.5),
        ([1.0] * 7 + [2.0], 1, 2.6),
        ([5.0] * 8, 3.5, 5),
        ([1.0, 2.0], 1, 4.5),
    ],
)
def test_intervals_of_grades_do_not_jump_where_they_lie_at_a_bound(values, low, high):
    graded = [
        EssayGrade(question=f"q{k}", aspect="relevance", arm="base", replicate=0, value=value)
        for k, value in enumerate(values)
    ]
    [measured] = measure_essays(RunEssays([], {("town", "base"): Counter()}), {}, {}, graded)
    table, *_ = tabulate_measures("town", [measured], None)
    mean = table.rows[0].cells[1]
    assert (mean.low, mean.high) == (pytest.approx(low, abs=0.05), pytest.approx(high, abs=0.05))


def test_a_grade_is_one_from_1_to_5():
    grades = {"4": 4, "4/5": 4, "4.5": 4.5, "1": 1, "5": 5}
    none = ("0", "5.1", "8/10", "9/2", "-3", "", None)
    found = {answer: read_grade(answer) for answer in (*grades, *none)}
    assert found == grades | dict.fromkeys(none)
