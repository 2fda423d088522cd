"""Figures of how accuracy scales, of temperatures, and of what debates take."""

from moot.core.results import Measure
from moot.core.stored import Arm, StudyRow
from moot.reports.charting.chart_arms import gather_arms
from moot.reports.charting.chart_files import write_chart
from moot.reports.charts import cost_bars, scaling, temperature


def shown(results, result, *arms):
    """The arms of one run on two datasets, with costs of a cent for every call."""
    made = [
        result(
            name,
            0.3 + 0.05 * k,
            dataset=dataset,
            calls=20 * (k + 1),
            cost=Measure(total=0.2 * (k + 1), known=20),
        )
        for dataset in ("medqa", "gsm8k")
        for k, (name, _, _) in enumerate(arms)
    ]
    known = tuple(Arm(name=name, protocol=p, settings=settings) for name, p, settings in arms)
    run = results(*made)
    return gather_arms([run], {run.run: StudyRow(name="s", arms=known, baseline=None)})


def votes(*sizes, temperature=0.0):
    return [
        (f"v{n}/{temperature}", "self-consistency", {"samples": n, "temperature": temperature})
        for n in sizes
    ]


def rows(chart):
    return [row for each in chart.data["datasets"].values() for row in each]


def test_arms_that_differ_in_size_are_drawn_over_it_and_its_price(results, result, tmp_path):
    arms = shown(results, result, *votes(1, 3, 5), *votes(1, 3, temperature=0.7))
    one, two = scaling.draw(arms)
    assert [one.name, two.name] == ["scaling-samples-medqa", "scaling-samples-gsm8k"]
    assert one.title == "Accuracy by samples on medqa: self-consistency"
    assert {row["curve"] for row in rows(one)} == {"temperature=0", "temperature=0.7"}
    assert {row["size"] for row in rows(one)} == {1, 3, 5}
    assert {round(row.get("price", 0), 6) for row in rows(one)} >= {1.0, 3.0, 0.01, 0.03}
    assert len(one.data["concat"]) == 4
    write_chart(one, tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_a_price_that_is_unknown_is_left_out_and_said(results, result):
    run = results(
        *(result(name, 0.5, cost=Measure()) for name, _, _ in votes(1, 3)),
    )
    arms = tuple(Arm(name=name, protocol=p, settings=given) for name, p, given in votes(1, 3))
    [chart] = scaling.draw(
        gather_arms([run], {run.run: StudyRow(name="s", arms=arms, baseline=None)})
    )
    assert len(chart.data["concat"]) == 3
    assert "US dollars per debate" in " ".join(chart.data["title"]["subtitle"])


def test_temperatures_have_a_line_for_each_dataset(results, result):
    arms = [each for t in (0.0, 0.7, 1.2) for each in votes(4, temperature=t)]
    [chart] = temperature.draw(shown(results, result, *arms))
    assert chart.name == "temperature-self-consistency"
    assert {row["curve"] for row in rows(chart)} == {"medqa", "gsm8k"}
    assert {row["size"] for row in rows(chart)} == {0.0, 0.7, 1.2}


def test_what_debates_take_is_told_by_protocol_and_level(results, result):
    arms = shown(results, result, *votes(1, 3), ("camel", "camel", {"rounds": 4}))
    [chart] = cost_bars.draw(arms)
    assert chart.title == "What a debate takes: cost"
    taken = {(row["dataset"], row["label"]): row for row in rows(chart)}
    vote = taken["medqa", "self-consistency"]
    assert (round(vote["price"], 6), vote["arms"], vote["level"]) == (0.015, 2, "model-level")
    assert taken["gsm8k", "camel"]["level"] == "society-level"


def test_nothing_is_drawn_of_arms_that_do_not_differ_so(results, result):
    arms = shown(results, result, *votes(1))
    assert [list(kind.draw(arms)) for kind in (scaling, temperature, cost_bars)] == [[], [], []]
