"""The table for the terminal."""

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from moot.core.results import Difference, EqualBudget, Mean, Saved
from moot.reports.results_view import show_results


def printed(results, width=80):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(
        show_results(results)
    )
    return out.getvalue()


def test_what_it_says(rows, results):
    text = printed(results(rows()))
    assert "50.0" in text  # three of six
    assert "+50.0" in text
    assert "baseline" in text
    assert "1 failed" in text
    assert "1 unparsed" in text
    assert "$0.006" in text.replace("0.00600", "0.006")
    assert "Failed and unparsed debates count as not correct" in text
    assert "imulated" not in text.lower()


@pytest.mark.parametrize("width", [80, 100, 160])
def test_it_fits_its_terminal_and_cuts_no_figure(rows, results, width):
    text = printed(results(rows()), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text.replace(" … ", "")


def test_flip_counts_are_told(rows, results):
    said = "society: 6 debaters went from wrong to right, 0 from right to wrong, 6 stayed right, "
    assert said + "6 stayed wrong." in " ".join(printed(results(rows())).split())


def test_an_unknown_cost_is_said_to_be_unknown(rows, results):
    text = printed(results(rows(cost=None)))
    assert "unknown" in text
    assert "$" not in text
    assert "it is not zero" in " ".join(text.split())


def test_a_cost_known_in_part_says_of_how_many_it_is_not(rows, results):
    text = printed(results(rows()[:6] + rows(cost=None)[6:]))
    assert "3 unknown" in text


def test_simulated_is_said_at_the_top_at_every_table_and_at_every_arm(rows, results):
    text = printed(results(rows(), simulated={"single", "society"}))
    assert text.startswith("SIMULATED. No language model was asked")
    assert "sums (simulated)" in text
    assert text.count("(simulated)") == 4  # society's changes besides


def test_arms_that_are_not_simulated_are_not_called_so(rows, results):
    text = printed(results(rows(), simulated={"single"}))
    assert text.startswith("PARTLY SIMULATED. Simulated arms say nothing about any language model")
    assert "No language model was asked" not in text
    assert "single (simulated)" in " ".join(text.split())
    assert text.count("(simulated)") == 1


def test_names_are_broken_between_words_and_no_figure_is_cut_at_80_columns(rows, results):
    names = {
        "single": "self-consistency samples=3",
        "society": "society-of-minds agents=3 rounds=2",
    }
    made = [
        replace(row, arm=names[row.arm], values=row.values | {"prompt-tokens": 123_456.0})
        for row in [*rows(1000), *rows(6, cost=None)]
    ]
    text = printed(results(made, baseline=names["single"], arms=(), simulated=names.values()))
    words = {word for name in names.values() for word in f"{name} (simulated)".split()}
    assert max(map(len, text.splitlines())) <= 80
    assert words - set(text.split()) == set()
    assert "p < 0.001" in text
    for figure in ("123,466", "$0.006", "500 ms", "6 unknown", "168 failed", "168 unparsed"):
        assert figure in text, figure


def test_nothing_yet(results):
    assert "No debate has ended yet" in printed(results([]))


def test_one_question_has_no_interval(rows, results):
    assert "no interval" in printed(results(rows(1)))


def test_names_steer_nothing(rows, row, transcript, results):
    name = "\x1b[2J[bold]x[/bold]"
    text = printed(results([row(name, transcript("single", 1, [("4",)]))]), 120)
    assert "␛[2J[bold]x[/bold]" in text
    assert "\x1b[2J" not in text


async def test_the_parts_of_a_network_can_be_read_off(row, results, network):
    held = [row("short-long", await network("network", k, "8" if k else "2")) for k in range(4)]
    text = printed(results(held, arms=(), baseline=None, simulated={"short-long"}))
    shown = [" ".join(line.split()) for line in text.splitlines()]
    at = shown.index("part accuracy % interval debates")
    assert shown[at - 2 : at] == ["short-long (simulated)", "95 %"]
    assert shown[at + 2 : at + 10] == [
        "the network 0.0 0.0 … 60.2 4",
        "layer 1 12.5 0.0 … 37.5 4",
        "layer 2 0.0 0.0 … 60.2 4",
        "layer 3 75.0 19.4 … 99.4 4",
        "node C1 25.0 0.6 … 80.6 4",
        "node C2 0.0 0.0 … 60.2 4",
        "node C3 0.0 0.0 … 60.2 4",
        "node C4 75.0 19.4 … 99.4 4",
    ]
    assert "Parts of a network" in text
    assert "next sweep" not in text


async def test_of_a_later_sweep_it_says_how_few_debates_came_to_it(row, results, network):
    held = [row("sweeps", await network("hopfield", k, communities=2, sweeps=k)) for k in (1, 2)]
    text = printed(results(held, arms=(), baseline=None))
    rows = [line.split() for line in text.splitlines() if line.startswith("sweep ")]
    assert [(cells[1], cells[-1]) for cells in rows] == [("1", "2"), ("2", "1")]
    assert "come to the next sweep" in " ".join(text.split())


def test_without_a_network_nothing_is_said_of_parts(rows, results):
    assert "Parts of a network" not in printed(results(rows()))


async def test_names_of_nodes_steer_nothing(row, results, one_node):
    name = "\x1b[2J[bold]x[bold]" + "n" * 90
    text = printed(results([row("n", await one_node(name))]))
    assert "␛[2J[bold]x[bold]" in text
    assert "\x1b[2J" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_which_test_p_is_of_depends_on_replicates(rows, results):
    once, thrice = rows(), [row for k in range(3) for row in rows(replicate=k)]
    for made, test in (
        (once, "McNemar's exact test"),
        (thrice, "an exact test by change of signs"),
    ):
        assert f"p: {test}, corrected by Holm" in " ".join(printed(results(made)).split())


def test_savings_and_self_consistency_at_the_same_price_are_told(rows, results):
    made = results(rows())
    gap = Difference(mean=0.1, low=0.0, high=0.2, pairs=6, p=0.5, p_holm=1.0)
    budget = EqualBudget(
        matched="tokens", pool="x", samples=4, spent=9, short=0, accuracy=Mean(), difference=gap
    )
    arms = (made.arms[0], replace(made.arms[1], budget=(budget,)))
    saved = Saved(calls=42, paid=30, cost=0.5, tokens=9)
    text = " ".join(printed(replace(made, arms=arms, saved=saved)).split())
    assert "12 of 42 calls came from the ledger: $0.500 not paid again" in text
    assert "society against self-consistency at the same price: +10.0 points (0.0 …" in text
