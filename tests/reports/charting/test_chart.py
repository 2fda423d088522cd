"""What is drawn of which results."""

import re

import pytest
from msgspec.structs import replace

from moot.core.results import Mean, Measure
from moot.reports.charting.chart import Chart, chart_kind, chart_kinds, draw_charts
from moot.reports.charting.chart_arms import gather_arms
from moot.reports.charting.chart_files import write_chart
from moot.reports.charts import behaviour, improvement, tradeoff

KINDS = (
    *("cost", "seconds", "tokens", "improvement", "agreement", "behaviour"),
    *("rounds", "flips", "network", "scaling-rounds"),
)
ONCE = ("protocols", "medical", "gains", "charges", "agreement-multi-persona-simulated")
PICTURES = (*(f"{kind}-medqa" for kind in KINDS), *ONCE)


def test_every_kind_is_drawn_for_every_dataset(drawn):
    assert set(drawn) == {*PICTURES, *(f"{kind}-ciar" for kind in KINDS)}


@pytest.mark.parametrize("name", PICTURES)
def test_each_is_drawn_without_a_hole_and_says_what_is_simulated(drawn, name, tmp_path):
    chart = drawn[name]
    write_chart(chart, tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text("utf-8")
    texts = [text for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg) if text]
    assert chart.title in texts
    assert any("(simulated)" in text for text in texts)
    assert not [text for text in texts if re.search("undefined|null|NaN|Infinity", text)]
    assert not re.search(r'(?:d|transform)="[^"]*NaN', svg)


@pytest.mark.parametrize("name", PICTURES)
def test_each_is_a_definition_as_altair_knows_them(drawn, name):
    checked = drawn[name].spec.to_dict(validate=True)
    assert checked["datasets"].keys() == drawn[name].data["datasets"].keys()


def test_nothing_is_drawn_of_nothing(result, results, study):
    assert draw_charts([], {}) == []
    unknown = replace(result(), accuracy=Mean())
    assert draw_charts([results(unknown)], {"trial-1": study}) == []
    assert draw_charts([results(result())], {"trial-1": study}) == []


def test_without_prices_there_is_no_figure_of_them(result, results):
    nothing = dict.fromkeys(("cost", "seconds", "prompt_tokens"), Measure())
    free = {"cost": Measure(total=0.0, known=20), "seconds": Measure()}
    arms = [result("a", **nothing), result("b", **nothing), result("c", **free)]
    assert [chart.name for chart in draw_charts([results(*arms[:2])], {})] == []
    assert [chart.name for chart in draw_charts([results(arms[2], result("d"))], {})] == [
        "cost-medqa",
        "tokens-medqa",
    ]


def test_an_arm_whose_price_is_unknown_is_told(result, results):
    arms = [result("a"), result("b"), result("c", cost=Measure())]
    cost, *_ = draw_charts([results(*arms)], {})
    assert "1 arm not shown: cost unknown" in cost.data["title"]["subtitle"]
    assert "3  c" not in str(cost.data)


def test_without_a_baseline_nothing_is_compared(whole, study):
    arms = gather_arms([replace(whole, baseline=None)], {whole.run: study})
    assert list(improvement.draw(arms)) == []


def test_results_whose_study_is_not_known_are_drawn_where_it_is_not_needed(whole, drawn):
    names = {chart.name for chart in draw_charts([whole], {})}
    needing = ("agreement", "protocols", "medical", "gains", "scaling", "charges")
    assert names == {name for name in drawn if not name.startswith(needing)}


def test_arms_of_two_runs_with_one_name_are_told_apart(result, results):
    runs = [results(result("a"), result("b"), run=run) for run in ("one-1", "two-2")]
    cost = str(draw_charts(runs, {})[0].data)
    for label in ("1  a · one-1", "2  b · one-1", "3  a · two-2", "4  b · two-2"):
        assert label in cost


def test_datasets_whose_names_make_one_file_name_have_two(result, results):
    arms = [result(name, dataset=dataset) for dataset in ("é?", "é!") for name in "ab"]
    names = [chart.name for chart in draw_charts([results(*arms)], {})]
    assert len(set(names)) == len(names) == 6
    assert all(re.fullmatch("[a-z0-9_-]+", name) for name in names)


def test_many_arms_each_have_a_number_and_stay_apart_where_names_are_long(result, results):
    names = [f"{'a long name ' * 9}{k}" for k in range(60)]
    arms = [
        result(name, 0.3 + k / 200, cost=Measure(total=k + 1.0, known=20))
        for k, name in enumerate(names)
    ]
    cost = draw_charts([results(*arms)], {})[0].data
    domains = re.findall(r"'(\d+)  a long name[^']*…[^']*'", str(cost))
    assert set(map(int, domains)) == set(range(1, 61))


def test_what_is_drawn_does_not_depend_on_what_was_drawn_before(shown, drawn):
    for chart in (*tradeoff.draw(shown), *behaviour.draw(shown)):
        assert chart.data == drawn[chart.name].data


def test_a_kind_from_elsewhere_is_drawn_after_moots_own(whole, study, monkeypatch):
    monkeypatch.setattr(chart_kinds, "_found", dict(chart_kinds._found))
    monkeypatch.setattr(chart_kinds, "_sorted", None)

    @chart_kind("mine")
    def draw(arms):
        yield Chart(f"mine-{len(arms)}", "title", "caption", None)

    made = draw_charts([whole], {whole.run: study})
    assert made[-1].name.startswith("mine-")
    assert len({chart.name for chart in made}) == len(made)
