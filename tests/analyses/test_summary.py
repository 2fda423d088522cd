"""What a run found, in words."""

from msgspec.structs import replace

from moot.analyses.sentences import explain_unshown
from moot.analyses.summary import describe_run, describe_savings, format_ratio, summarise_results
from moot.core.results import Difference, EqualBudget, Mean, Saved


def told(rows, results, **options):
    return list(summarise_results(results(rows, **options)))


def test_a_clear_difference(rows, results):
    worth, best = told(rows(24), results)
    assert worth == (
        "Better, but not shown to be worth the price: 1 of 1 arm is clearly better than the "
        "baseline; self-consistency at the same price was not measured."
    )
    assert best.startswith(
        "society is right on 100.0\u00a0% of 24 debates (24 questions; 95\u00a0%"
    )
    assert "the highest of 2 arms. It beats the baseline single: +50.0 points (" in best
    assert "Holm-corrected p < 0.001), at 6 times the cost ($0.006 per debate)." in best
    assert "So many questions" not in best


def test_the_best_may_be_the_baseline(rows, results):
    worth, best = told(rows(24), results, baseline="society")
    assert worth.startswith("No gain is shown: 0 of 1 arm is clearly better than the baseline")
    assert best.endswith("the highest of 2 arms. It is the baseline.")


def test_what_can_show_nothing_says_so_first(rows, results):
    assert told(rows(5), results)[0] == (
        "This can show nothing: on 5 questions, even an arm that is right on all of them where the "
        "baseline is on none has p = 0.062."
    )
    assert told(rows(6), results)[0].startswith("No gain is shown")
    more = [replace(each, arm="third") for each in rows(6) if each.arm == "single"]
    worth = told([*rows(6), *more], results)[0]
    assert worth.endswith("has p = 0.031 before the correction.")


def test_a_correction_is_of_the_arms_of_a_dataset(rows, results):
    other = [replace(each, dataset="other") for each in rows(6)]
    worth, *found = told([*rows(6), *other], results)
    assert "0 of 2 comparisons are clearly better than the baseline" in worth
    assert [each.partition(":")[0] for each in found] == ["sums", "other"]


def test_without_prices_it_counts_tokens(rows, results):
    assert "at 6 times the tokens" in told(rows(cost=None), results)[1]


def test_what_was_not_found_may_be_smaller_than_could_be_shown(rows, results):
    best = told(rows(6), results)[1]
    assert "It does not clearly beat the baseline single: +50.0 points" in best
    assert "So many questions show a difference of 96.4 points in 80\u00a0%" in best
    assert "Too few questions tell it from the baseline" in told(rows(2)[2:], results)[1]


def test_without_a_baseline_there_is_nothing_to_compare(rows, results):
    worth, best = told(rows(), results, baseline=None)
    assert worth.startswith("No arm is compared with a baseline")
    assert best.endswith("the highest of 2 arms.")
    worth, _ = told(rows(1)[:1] + rows(2)[3:], results)  # no debate in common
    assert worth.startswith("No arm is compared with a baseline")


def test_before_a_right_answer_is_known(rows, results):
    unknown = [replace(each, values=each.values | {"accuracy": None}) for each in rows()]
    assert told(unknown, results) == ["No right answers are known here, so there is no accuracy."]
    assert told([], results) == ["No debate has ended yet."]


def test_only_what_is_left_of_a_difference_after_correction_counts(rows, results):
    made = results(rows(24))
    gap = made.arms[1].difference
    assert gap.low > 0
    arms = made.arms[0], replace(made.arms[1], difference=replace(gap, p_holm=0.06))
    worth, best = summarise_results(replace(made, arms=arms))
    assert worth.startswith("No gain is shown")
    assert "p = 0.060" in best


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


def priced(rows, results, *budgets):
    made = results(rows(24))
    arms = made.arms[0], replace(made.arms[1], budget=budgets)
    return list(summarise_results(replace(made, arms=arms)))


def test_self_consistency_at_the_same_price(rows, results):
    worth, best = priced(rows, results, against("tokens", 0.1, 0.3), against("cost", 0.2, 0.4))
    assert worth == (
        "Worth the price: 1 of 1 arm is clearly better than the baseline, and 1 of 1 than "
        "self-consistency at the same price."
    )
    assert best.endswith(
        "It beats self-consistency at the same price: +20.0 points (+10.0 … +30.0; Holm-corrected "
        "p = 0.020) against 4.5 samples for the same tokens; +30.0 points (+20.0 … +40.0; "
        "Holm-corrected p = 0.020) against 4.5 samples for the same money."
    )
    worth, best = priced(rows, results, against("tokens", -0.3, -0.1))
    assert worth.startswith("Better, but not shown to be worth the price")
    assert "It is worse than self-consistency at the same price" in best
    for budgets in (
        [against("tokens", 0.1, 0.3), against("cost", -0.1, 0.3)],
        [against("tokens", 0.1, 0.3, p_holm=0.06)],
    ):
        worth, best = priced(rows, results, *budgets)
        assert "and 0 of 1 than self-consistency" in worth
        assert "It does not clearly beat self-consistency" in best


def test_what_was_run_in_a_sentence(rows, results):
    made = results(rows())
    assert describe_run(made) == "2 arms on sums: 12 debates."
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
    lacking = replace(against("tokens", 0.1, 0.3), short=7, spent=882.0, taken=10_010.0)
    worth, best = priced(rows, results, lacking)
    assert worth.endswith("the study made too few draws for self-consistency at the same price.")
    assert "the same" not in best
    assert "It beats self-consistency that was given less: +20.0 points" in best
    assert best.endswith(
        "for fewer tokens, 882 against 10,010: 7 debates could have bought more than there are."
    )


def test_each_model_has_a_sentence_against_its_own_baseline(rows, results):
    against_b = [replace(each, arm=f"{each.arm} b") for each in rows(24)]
    own = {"single": "single", "society": "single"}
    own |= {f"{arm} b": f"{base} b" for arm, base in own.items()}
    _, first, second = told([*rows(24), *against_b], results, baselines=own)
    assert "society is right" in first
    assert "beats the baseline single:" in first
    assert "society b is right" in second
    assert "beats the baseline single b:" in second


def test_words_and_interval_that_differ_say_why():
    alone = Difference(mean=0.1, low=0.02, high=0.2, p=0.02, p_holm=0.1, questions=80, pairs=80)
    assert "of this comparison alone" in explain_unshown(alone)
    exact = replace(alone, p=0.06, p_holm=0.06)
    assert "the exact test, which decides, does not" in explain_unshown(exact)
    assert explain_unshown(replace(alone, p_holm=0.04)) == ""
    assert explain_unshown(replace(alone, low=-0.02)) == ""
