"""Quotations that stand in a passage, and may say something else there."""

import pytest

from moot.contrib.essays.essay_parts import cite, mark
from moot.contrib.essays.quotation_outcomes import count_quotes
from moot.contrib.essays.quoting.quotation_check import check_quotations
from moot.contrib.essays.quoting.quotation_doubts import find_doubt
from moot.core.events import Passage

SOURCE = (
    "Most visitors had not come before, as the house said. They came by train. They came by bus. "
    "Others had already been coming for years. Die Häuser sind nicht voll, aber gut besucht. "
    "Nobody doubts that a fee can’t help the poor. It cost 1 Mio. Euro, 2 Mio. Euro, 3 Mio. Euro "
    "and 4 Mio. Euro in all these\nyears."
)


@pytest.mark.parametrize(
    ("said", "doubt"),
    [
        ("Most visitors had … come before", "it leaves out “not”"),
        ("Die Häuser sind … voll, aber gut besucht", "it leaves out “nicht”"),
        ("Nobody doubts that a fee … help the poor", "it leaves out “can’t”"),
        ("Most visitors had not … said. They came by train", ""),
        ("had not come before … Others had already", "it leaves out more than a sentence"),
        ("as the house said … They came by bus", ""),
        ("It cost 1 Mio. Euro … years", ""),
        ("[The poor] had already been coming for years", "“The poor” is the writer's"),
        ("[O]thers had already been coming for years", ""),
        ("Others had already been [coming] for years", ""),
        ("Most visitors had not come before", ""),
    ],
)
def test_what_an_ellipsis_leaves_out_and_brackets_supply_is_told(said, doubt):
    [quote] = check_quotations(f"It says “{said}” [1].", [Passage(1, "a.md:1", SOURCE)])
    assert (quote.state, find_doubt(quote)) == ("found", doubt)
    assert mark(quote) == ("LOOK" if doubt else "")
    assert cite(quote).endswith(f"; look there: {doubt}" if doubt else "[1]")
    told = count_quotes([quote])
    assert told == (
        [f"1 quotation is found and may say something else there: “{said}” ({doubt})."]
        if doubt
        else []
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("They came by train", "; it stands in [1], and not where it says"),
        (
            "They came by cars or by train",
            "; the evidence has in [1]: “They came by train. They came by”",
        ),
        (
            "a share of p > 0.05 was seen",
            "; the evidence has in [3]: “a share of p < 0.05 was seen.”",
        ),
    ],
)
def test_words_of_another_passage_than_is_named_are_told_as_moved_and_no_others(said, told):
    passages = [
        Passage(1, "a.md:1", SOURCE),
        Passage(2, "a.md:3", "Trains are slow."),
        Passage(3, "a.md:5", "Here a share of p < 0.05 was seen."),
    ]
    [quote] = check_quotations(f"It says “{said}” [2].", passages)
    assert quote.state == "altered"
    assert cite(quote) == f"“{said}” [2]{told}"
    [outcome] = count_quotes([quote])
    assert ("not where it says" in outcome) == quote.is_moved == ("not where" in told)
