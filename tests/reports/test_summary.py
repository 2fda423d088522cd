"""What a run found, in words."""

from moot.reports.summary import summary


def told(rows, results, **options):
    made = results(rows, **options)
    return summary(list(made.arms), made.baseline)


def test_a_clear_difference(rows, results):
    found = told(rows(24), results)
    assert found.lead.startswith("society is right on 100.0\u00a0%")
    assert "the highest of 2 arms" in found.lead
    (finding,) = found.findings
    assert (finding.kind, finding.arm) == ("higher", "society")
    assert "+50.0 points" in finding.text
    assert "p < 0.001" in finding.text
    assert "at 6 times the cost ($0.006 per debate)" in finding.text


def test_the_other_way_round_it_is_lower(rows, results):
    (finding,) = told(rows(24), results, baseline="society").findings
    assert (finding.kind, finding.arm) == ("lower", "single")
    assert "−50.0 points" in finding.text


def test_an_interval_with_zero_is_no_clear_difference(rows, results):
    (finding,) = told(rows(2), results).findings
    assert finding.kind == "even"


def test_without_prices_it_counts_tokens(rows, results):
    (finding,) = told(rows(cost=None), results).findings
    assert "at 6 times the tokens" in finding.text


def test_one_question_proves_nothing(rows, results):
    (finding,) = told(rows(1), results).findings
    assert finding.kind == "unknown"
    assert "too few questions" in finding.text


def test_nothing_in_common(rows, results):
    (finding,) = told(rows(1)[:1] + rows(2)[3:], results).findings
    assert finding == ("unknown", "society", "no debate in common with the baseline")


def test_without_a_baseline_there_is_nothing_to_compare(rows, results):
    assert told(rows(), results, baseline=None).findings == []


def test_no_right_answers_known():
    assert "no accuracy" in summary([], None).lead
