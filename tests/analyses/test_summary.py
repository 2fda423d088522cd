"""What a run found, in words."""

from msgspec.structs import replace

from moot.analyses.summary import describe_run, describe_savings, format_ratio, summarise_dataset
from moot.core.results import Difference, EqualBudget, Mean, Saved


def told(rows, results, **options):
    made = results(rows, **options)
    return summarise_dataset(list(made.arms), made.baseline)


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
    assert "no accuracy" in summarise_dataset([], None).lead


def test_the_verdict_is_of_the_best_arm(rows, results):
    found = told(rows(24), results)
    assert found.verdict.startswith("It beats the baseline single: +50.0 points (")
    assert "Holm-corrected p < 0.001), at 6 times the cost ($0.006 per debate)." in found.verdict
    assert not found.power
    assert told(rows(24), results, baseline="society").verdict == "It is the baseline."
    assert told(rows(24), results, baseline=None).verdict == ""


def test_what_was_not_found_may_be_smaller_than_could_be_shown(rows, results):
    found = told(rows(6), results)
    assert "It does not clearly beat the baseline single: +50.0 points" in found.verdict
    assert found.power.startswith("So many questions show a difference of 96.4 points in 80\u00a0%")
    assert "Too few questions tell it from the baseline" in told(rows(2)[2:], results).verdict


def test_only_what_is_left_of_a_difference_after_correction_counts(rows, results):
    made = results(rows(24))
    gap = made.arms[1].difference
    assert gap.low > 0
    arms = [made.arms[0], replace(made.arms[1], difference=replace(gap, p_holm=0.06))]
    found = summarise_dataset(arms, "single")
    assert found.findings[0].kind == "even"
    assert "p = 0.060" in found.findings[0].text


def against(matched, low, high, **options):
    """A debate against self-consistency at the same price."""
    gap = {"mean": (low + high) / 2, "low": low, "high": high, "pairs": 9, "p": 0.01}
    got = Mean(mean=0.5, n=9, questions=9)
    return EqualBudget(
        matched=matched,
        pool="draws",
        samples=4.5,
        spent=0.01,
        short=0,
        accuracy=got,
        difference=Difference(**gap | {"p_holm": 0.02} | options),
    )


def test_self_consistency_at_the_same_price(rows, results):
    single, society = results(rows(24)).arms

    def found(*budgets):
        return summarise_dataset([single, replace(society, budget=budgets)], "single")

    both = found(against("tokens", 0.1, 0.3), against("cost", 0.2, 0.4))
    text = (
        "+20.0 points (+10.0 … +30.0; Holm-corrected p = 0.020) against 4.5 samples for the same "
        "tokens; +30.0 points (+20.0 … +40.0; Holm-corrected p = 0.020) against 4.5 samples for "
        "the same money"
    )
    assert both.budgets == [("higher", "society", text)]
    assert "It beats self-consistency at the same price: +20.0 points" in both.verdict
    worse = found(against("tokens", -0.3, -0.1))
    assert "It is worse than self-consistency at the same price" in worse.verdict
    for budgets in (
        [against("tokens", 0.1, 0.3), against("cost", -0.1, 0.3)],
        [against("tokens", 0.1, 0.3, p_holm=0.06)],
    ):
        assert found(*budgets).budgets[0].kind == "even"
        assert "It does not clearly beat self-consistency" in found(*budgets).verdict


def test_what_was_run_in_a_sentence(rows, results):
    made = results(rows())
    assert describe_run(made) == "2 arms on sums: 12 debates."
    assert describe_run(made, ["a/b"]) == "2 arms on sums: 12 debates, by a/b."
    assert describe_run(made, list("abcde")) == "2 arms on sums: 12 debates, by a, b, c, d, others."
    assert describe_run(results([])) == "0 arms on no dataset yet: 0 debates."


def test_what_the_ledger_saved(rows, results):
    made = results(rows())

    def said(**saved):
        return describe_savings(replace(made, saved=Saved(**{"calls": 9, "paid": 4} | saved)))

    assert describe_savings(made) == ""
    assert said(cost=1.5, tokens=70) == (
        "5 of 9 calls came from the ledger: $1.50 not paid again, 70 tokens not asked for again."
    )
    assert said(cost=0.0, tokens=70).endswith("ledger: 70 tokens not asked for again.")
    assert said(cost=None, tokens=None).endswith("what that saved is unknown, as a price is.")
    assert said(paid=9, cost=0.0, tokens=0) == "0 of 9 calls came from the ledger."
    assert said(calls=0, paid=3, cost=0.0, tokens=0) == ""  # what it paid for is in no debate


def test_times_are_short():
    assert [format_ratio(ratio) for ratio in (0.034, 0.5, 1.0, 1234.5)] == [
        "0.03",
        "0.5",
        "1",
        "1,234",
    ]


def test_what_had_too_few_draws_is_not_called_the_same_price(rows, results):
    single, society = results(rows(24)).arms
    lacking = replace(against("tokens", 0.1, 0.3), short=7, spent=882.0, taken=10_010.0)
    found = summarise_dataset([single, replace(society, budget=(lacking,))], "single")
    assert "the same" not in found.verdict + found.budgets[0].text
    assert "It beats self-consistency that was given less: +20.0 points" in found.verdict
    assert found.budgets[0].text.endswith(
        "for fewer tokens, 882 against 10,010: 7 debates could have bought more than there are"
    )


def test_each_model_s_arms_are_told_against_their_own_baseline(rows, results):
    against_b = [replace(each, arm=f"{each.arm} b") for each in rows(24)]
    own = {"single": "single", "society": "single"}
    own |= {f"{arm} b": f"{base} b" for arm, base in own.items()}
    made = results([*rows(24), *against_b], baselines=own)
    found = summarise_dataset(list(made.arms), "single").findings
    assert [each.arm for each in found] == ["society", "society b"]
    assert [each.text.partition(":")[0] for each in found] == ["against single", "against single b"]
