"""The prejudice report: the paper's tables, what is marked, and every format."""

import re

import pytest
from rich.console import Console

from moot.analyses.anchoring import OpeningOutcome
from moot.analyses.prejudice import measure_prejudice
from moot.analyses.prejudice_tables import tabulate_details, tabulate_papers, tabulate_prejudice
from moot.core.stored import Arm
from moot.reports.latex import write_latex
from moot.reports.markdown import write_markdown
from moot.reports.terminal import show_report

OPENINGS = {"open": 5, "control-right": 8, "control-wrong": 3}


def arm(name, opening, protocol, model, **more):
    had = {"model": model, "opening": opening, "distance": "near", "cast": [], **more}
    return Arm(name=name, protocol=protocol, settings=had)


def made(protocols=("self-consistency", "camel"), models=("gpt",), datasets=("gsm8k",), **more):
    """Ten questions on each dataset, of which each opening has as many right as it says."""
    arms, rows = [], []
    for protocol in protocols:
        for model in models:
            for opening, right in OPENINGS.items():
                name = f"{protocol} {model} {opening}"
                arms.append(arm(name, opening, protocol, model))
                for dataset in datasets:
                    for k in range(10):
                        verdict = "true" if k < right else "false" if k < 9 else None
                        values = {"open": (), "control-right": ("true",)}.get(opening, ("false",))
                        rows.append(
                            OpeningOutcome(
                                name, dataset, str(k), 0, "boolean",
                                float(verdict == "true"), verdict, values
                            )
                        )  # fmt: skip
    return measure_prejudice(rows, arms=arms, run="r-1", name="trial", **more)


def texts(grid):
    return [[cell.text for cell in cells] for cells in grid.shown]


def test_the_paper_s_tables_have_frameworks_by_opening_across_and_models_down():
    found = made(("self-consistency", "consultancy", "camel"), ("gpt", "gemini"), ("piqa", "gsm8k"))
    grids = list(tabulate_papers(found))
    assert [grid.title for grid in grids] == [
        "Model-level frameworks (table 1)",
        "Society-level frameworks (table 2)",
    ]
    assert grids[0].groups == [("", 1), ("self-consistency", 3), ("consultancy", 3), ("", 1)]
    assert [column.name for column in grids[0].columns] == [
        "model",
        *["open", "right", "wrong"] * 2,
        "questions",
    ]
    row = ["50.0", "80.0*", "30.0"]
    assert [each.band for each in grids[0].rows] == ["piqa", "piqa", "gsm8k", "gsm8k"]
    assert texts(grids[0]) == [["gpt", *row, *row, "10"], ["gemini", *row, *row, "10"]] * 2
    assert texts(grids[1]) == [["gpt", *row, "10"], ["gemini", *row, "10"]] * 2


def test_the_details_have_every_figure_with_its_interval_and_number():
    grids = {grid.title: grid for grid in tabulate_details(made(("self-consistency",)))}
    assert list(grids) == [
        f"gsm8k: {name}"
        for name in ("accuracy by opening", "tests", "sway", "variation across openings")
    ]
    accuracy, tests, sway, variation = grids.values()
    assert texts(accuracy) == [["self-consistency", "50.0", "80.0*", "30.0", "10", "3"]]
    assert [row[1:3] for row in texts(tests)] == [
        ["right − open", "+30.0"],
        ["wrong − open", "−20.0"],
        ["right − wrong", "+50.0"],
    ]
    assert [row[1:5] for row in texts(sway)] == [
        ["right", "80.0", "50.0", "+30.0"],
        ["wrong", "60.0", "40.0", "+20.0"],
    ]
    [row] = texts(variation)
    assert (row[1], row[2], row[-1]) == ("3", "50.0", "10")
    for grid in grids.values():
        assert grid.note
        for cells in grid.shown:
            assert len(cells) == len(grid.columns)
            assert any(cell.interval for cell in cells)


@pytest.mark.parametrize("models", [("gpt",), ("gpt", "a/model-with-a-long-name?option=value")])
def test_it_fits_a_terminal_and_says_what_is_simulated(models):
    found = made(models=models, simulated=["camel gpt open"])
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(show_report(tabulate_prejudice(found)))
    text = capture.get()
    assert text.startswith("SIMULATED")
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("accuracy by") == len(models)
    assert text.count("Followed: debates") == 1
    for name in ("self-consistency", "camel"):
        assert len(re.findall(rf"^{name} +right − open", text, re.MULTILINE)) == len(models)


def test_markdown_is_whole_and_escaped():
    found = made(models=("gpt", "a|b_c"), simulated=["camel gpt open"])
    text = write_markdown(tabulate_prejudice(found))
    assert text.startswith("## Prejudice: trial\n\n**SIMULATED")
    assert "| a\\|b\\_c | 50.0 | 80.0\\* | 30.0 | 10 |" in text
    assert "\n\n\n" not in text
    width = 0
    for line in text.splitlines():
        bars = line.replace("\\|", "").count("|")
        assert not (bars and width) or bars == width
        width = bars


def test_latex_has_every_table():
    text = write_latex(tabulate_prejudice(made(simulated=["camel gpt open"])))
    assert text.startswith("% SIMULATED")
    assert text.count("\\begin{table") == 2 + 4
    assert "gpt & 50.0 & 80.0* & 30.0 & 10" in text
    for tabular in re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.DOTALL):
        lines = [line for line in tabular.splitlines() if "&" in line]
        assert len({line.count(" & ") for line in lines if "multicolumn" not in line}) == 1


def test_a_model_without_a_framework_has_a_gap():
    one = made(("self-consistency",), ("gpt",))
    arms = [arm(f"x {o}", o, "consultancy", "other") for o in OPENINGS]
    rows = [OpeningOutcome(a.name, "gsm8k", "1", 0, "boolean", 1.0, "true", ()) for a in arms]
    two = measure_prejudice(rows, arms=arms)
    both = type(one)(run="r", name="n", simulated=False, groups=(*one.groups, *two.groups))
    [grid] = tabulate_papers(both)
    assert texts(grid) == [
        ["gpt", "50.0", "80.0*", "30.0", "–", "–", "–", "10"],
        ["other", "–", "–", "–", "100.0*", "100.0*", "100.0*", "1"],
    ]
