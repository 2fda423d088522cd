"""What is said of essays besides the figures: what is missing, who judged, what it took."""

import io

import msgspec
import pytest
from rich.console import Console

from moot.core.results import Mean
from moot.core.stored import Spent
from moot.essays.assess.arm_measures import ArmEssays, ArmMeasure, Gap
from moot.essays.assess.assessment import Assessment, Verdicts
from moot.essays.assess.assessment_notes import notes
from moot.essays.assess.assessment_tables import tabulate_essays
from moot.essays.assess.embeddings import EmbeddingsUse
from moot.essays.assess.preference import Strength
from moot.essays.run_essays import LostEssays
from moot.reports.latex import write_latex
from moot.reports.markdown import write_markdown
from moot.reports.terminal import show_report


def measured(mean, low=None, high=None, gap=None):
    return ArmMeasure(mean=Mean(mean=mean, low=low, high=high, n=4, questions=2), difference=gap)


def arm(name, *, simulated=False, **given):
    whole = {"lost": LostEssays(), "cut": 0} | given
    return ArmEssays(
        dataset="town", arm=name, simulated=simulated, essays=14, propositions=2, **whole
    )


def verdicts(**given):
    whole = {
        "run": "tried-judged-1",
        "protocol": "single",
        "settings": {"model": "openai/judge\x1b"},
        "simulated": False,
        "debates": 40,
        "done": 30,
        "failed": {"it said \x1b[31mno": 2},
        "comparisons": 20,
        "tied": 3,
        "unread": 1,
        "single": 1,
        "stopped": "the budget of 30 calls is reached",
        "spent": Spent(calls=30, unknown_cost_calls=1),
        "rates": (),
        "pairs": (),
        "strengths": (),
        "orders": (),
    }
    return Verdicts(**whole | given)


def found(*arms, judged=None, simulated=False):
    return Assessment(
        run="tried-1",
        name="tried",
        simulated=simulated,
        baseline="base",
        embedder="openai/small",
        embedding=EmbeddingsUse(),
        bleu="nrefs:var|tok:13a",
        arms=arms,
        judged=judged,
    )


def written(form, assessment):
    made = form(tabulate_essays(assessment))
    out = io.StringIO()
    Console(file=out, width=80).print(made)
    return out.getvalue()


def shown(assessment):
    return written(show_report, assessment)


GAP = Gap(mean=-0.01236, low=-0.02, high=-0.0001, propositions=2, p=0.5, p_holm=1.0, left_out=1)
BASE = arm("base", measures={"self-bleu": measured(24.54, 20.0, 30.0), "words": measured(1234.5)})
OURS = arm(
    "ours",
    simulated=True,
    lost=LostEssays(failed=1, empty=2),
    cut=1,
    pointless=3,
    measures={
        "self-bleu": measured(18.61, 15.0, 22.0),
        "perspective": measured(0.7071, 0.5, 0.9, GAP),
    },
)


def test_figures_are_in_the_units_of_table_1_and_what_is_unknown_is_a_dash():
    text = write_markdown(tabulate_essays(found(BASE, OURS)))
    assert "| arm | n | S-BLEU | Pers. | words |" in text
    assert "| base | 14 | 24.5 (20.0 … 30.0) | – | 1,234.5 |" in text
    assert "| ours (simulated) | 14 | 18.6 (15.0 … 22.0) | 70.7 (50.0 … 90.0) | – |" in text
    assert "| ours (simulated) | Pers. | −1.2 (−2.0 … 0.0) | 0.50 | 1.00 | 2 |" in text


def test_what_left_no_essay_was_cut_or_is_left_out_is_said():
    said = " ".join(notes(found(BASE, OURS)))
    for part in (
        "1 debate failed and left no essay",
        "2 debates came to no words and left no essay",
        "as they stand: 1 essay.",
        "Up to 1 proposition left out",
        "sacrebleu, nrefs:var|tok:13a. Embeddings: openai/small.",
        "moot essays tried-1 --judge MODEL",
    ):
        assert part in said
    assert len(notes(found(BASE))) == 2


def test_a_single_proposition_has_no_interval_and_that_is_said():
    alone = [msgspec.structs.replace(arm, propositions=1) for arm in (BASE, OURS)]
    assert notes(found(*alone))[0] == "town has a single proposition: there are no intervals."


def test_the_judge_is_named_with_what_it_took_and_what_it_could_not_say():
    apart = Strength(aspect="relevance", arm="ours", strength=1.5, finite=False, comparisons=4)
    said = " ".join(notes(found(BASE, OURS, judged=verdicts(strengths=(apart,)))))
    for part in (
        "Judge: openai/judge␛ (single). 30 of 40 debates held, 30 calls paid for, cost unknown",
        "see moot show tried-judged-1.",
        "20 comparisons, of them 3 ties.",
        "Left out: 1 comparison without an answer that could be read, and 1 of the same essays",
        "3 essays without a point",
        "due to the tie that is added",
        "2 failed: it said ␛[31mno",
        "Stopped: the budget of 30 calls is reached",
    ):
        assert part in said
    assert "--judge MODEL" not in said
    free = verdicts(simulated=True, spent=Spent(calls=1, cost=0.02), comparisons=0)
    said = " ".join(notes(found(BASE, judged=free)))
    assert "SIMULATED: no language model. 30 of 40 debates held, 1 call paid for, $0.020" in said
    assert "comparisons" not in said


@pytest.mark.parametrize("form", [show_report, write_markdown, write_latex])
def test_what_is_simulated_is_labelled_in_every_form(form):
    assert "SIMULATED" in written(form, found(BASE, OURS, simulated=True))
    assert "SIMULATED" not in written(form, found(BASE))


def test_the_tables_fit_a_terminal_of_80_columns():
    lines = shown(found(BASE, OURS, judged=verdicts())).splitlines()
    assert max(map(len, lines)) <= 80
    assert any("24.5" in line for line in lines)
