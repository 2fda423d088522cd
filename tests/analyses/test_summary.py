"""What a run found, in words."""

from msgspec.structs import replace

from moot.analyses.sentences import explain_unshown
from moot.analyses.summary import describe_savings, summarise_results
from moot.core.results import Difference, Saved


def told(rows, results, **options):
    return list(summarise_results(results(rows, **options)))


def test_before_a_right_answer_is_known(rows, results):
    unknown = [replace(each, values=each.values | {"accuracy": None}) for each in rows()]
    assert told(unknown, results) == ["No right answers are known here, so there is no accuracy."]
    assert told([], results) == ["No debate has ended yet."]


def test_what_the_ledger_saved(rows, results):
    made = results(rows())

    def said(**saved):
        return describe_savings(replace(made, saved=Saved(**{"calls": 9, "paid": 4} | saved)))

    assert describe_savings(made) == ""
    assert said(cost=1.5, tokens=70) == (
        "5 of 9 calls were cached: $1.50 not paid again, 70 tokens not asked for again."
    )
    assert said(cost=0.0, tokens=70).endswith("cached: 70 tokens not asked for again.")
    assert said(cost=None, tokens=None).endswith("what that saved is unknown, as a price is.")
    assert said(paid=9, cost=0.0, tokens=0) == ""
    assert said(calls=0, paid=3, cost=0.0, tokens=0) == ""  # what it paid for is in no debate


def test_words_and_interval_that_differ_say_why():
    alone = Difference(mean=0.1, low=0.02, high=0.2, p=0.02, p_holm=0.1, questions=80, pairs=80)
    assert "of this comparison alone" in explain_unshown(alone)
    exact = replace(alone, p=0.06, p_holm=0.06)
    assert "the exact test, which decides, does not" in explain_unshown(exact)
    assert explain_unshown(replace(alone, p_holm=0.04)) == ""
    assert explain_unshown(replace(alone, low=-0.02)) == ""
