"""``moot report``: over one run or several, as a page or as tables."""

import csv
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from moot.cli.main import moot
from support.commands import STUDY


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with two runs."""
    place = tmp_path_factory.mktemp("report")
    for name in ("first", "second"):
        study = STUDY.replace('"small"', f'"{name}"').replace("0.6", f"0.6&seed={len(name)}")
        (place / f"{name}.toml").write_text(study)
        done = CliRunner().invoke(moot, ["run", str(place / f"{name}.toml"), "--store", str(place)])
        assert done.exit_code == 0
    return place


def ran(store, *arguments):
    done = CliRunner().invoke(moot, ["report", *arguments, "--store", str(store)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_one_page_of_several_runs(store):
    written = Path(ran(store, "first", "second", "--no-figures").strip())
    assert re.fullmatch(r"first-\w+\+1-\w{8}\.html", written.name)
    page = written.read_text()
    assert "<h1>first, second</h1>" in page
    assert page.index("SIMULATED") < page.index('<p class="lead">') < page.index("<table")
    assert page.index("<table") < page.index('<ul class="findings">')
    assert "<h2>Left out</h2>" in page
    assert "no verdict of it supports" in page.partition("<h2>Left out</h2>")[2]  # judge-bias
    assert "moot analyse ceiling" in page.partition("<h2>Left out</h2>")[2]
    assert page.count('<details id="d') == 16
    assert "vega" not in page
    again = Path(ran(store, "first", "second", "first", "--no-figures").strip())
    assert again == written
    assert Path(ran(store, "second", "first", "--no-figures").strip()) != written
    few = Path(ran(store, "first", "second", "--no-figures", "--transcripts", "8").strip())
    assert few.read_text().count('<details id="d') == 8  # shared between the runs


def test_several_reports_are_one_json_and_a_file_for_each_table(store, tmp_path):
    out = tmp_path / "all.json"
    assert ran(store, "first", "--format", "json", "--out", str(out)).strip() == str(out)
    whole = json.loads(out.read_text())
    assert whole == json.loads(ran(store, "first", "--format", "json"))
    assert next(iter(whole["reports"])) == "accuracy"
    assert whole["reports"]["accuracy"]["data"][0]["name"] == "first"
    assert "no verdict of it supports" in whole["left_out"]["judge-bias"]
    ran(store, "first", "--format", "csv", "--out", str(tmp_path / "tables"))
    tables = list((tmp_path / "tables").iterdir())
    assert {each.suffix for each in tables} == {".csv"}
    named = re.compile(r"accuracy-\d+-arithmetic-simulated\.csv")
    [accuracy] = (each for each in tables if named.fullmatch(each.name))
    head, *rows = csv.reader(accuracy.read_text().splitlines())
    assert head[:5] == ["Arm", "Accuracy", "Accuracy low", "Accuracy high", "Accuracy n"]
    assert all(0 <= float(row[2]) <= float(row[1]) <= float(row[3]) <= 1 for row in rows)


def test_tables_are_printed_or_written_or_it_is_said_why_not(store, tmp_path):
    for form, parts in (
        ("markdown", ["**arithmetic", "| Method | Accuracy % |", "**SIMULATED:"]),
        ("latex", [r"\toprule", "Method & ", r"Accuracy \%", "% SIMULATED:"]),
    ):
        text = ran(store, "first", "second", "--format", form)
        assert [part for part in parts if part not in text] == []
        out = tmp_path / form / "tables.txt"
        told = ran(store, "first", "second", "--format", form, "--out", str(out))
        assert (told.strip(), out.read_text()) == (str(out), text)
    (tmp_path / "none.toml").write_text(STUDY + "[budget]\ncalls = 0\n")
    CliRunner().invoke(moot, ["run", str(tmp_path / "none.toml"), "--store", str(tmp_path)])
    (tmp_path / "file").write_text("")
    for words, said in (
        (f"analyse accuracy small --store {tmp_path} --format csv", "no table or chart to write"),
        (f"report first --store {store}", "cannot be written"),
    ):
        done = CliRunner().invoke(moot, f"{words} --out {tmp_path / 'file' / 'r.html'}")
        assert done.exit_code == 2
        assert said in " ".join(done.output.split())


def test_latex_is_one_table_and_others_by_name_or_all(store):
    one = ran(store, "first", "--format", "latex")
    assert one.count(r"\begin{table") == 1
    assert r"\caption{Methods}" in one
    rounds = ran(store, "first", "--format", "latex", "--only", "features")
    assert r"\caption{Features}" in rounds
    assert r"\caption{Methods}" not in rounds
    every = ran(store, "first", "--format", "latex", "--all")
    assert every.count(r"\begin{table") > 5
    for options, said in (
        (("--format", "csv", "--all"), "--all is for --format latex"),
        (("--format", "csv", "--open"), "--open opens a page"),
        (("--only", "featurs"), "unknown analysis 'featurs'"),
    ):
        done = CliRunner().invoke(moot, ["report", "first", *options, "--store", str(store)])
        assert done.exit_code == 2
        assert said in done.output


def test_the_page_opens_in_the_browser(store, monkeypatch):
    opened = []
    monkeypatch.setattr("click.launch", opened.append)
    written = ran(store, "first", "--no-figures", "--transcripts", "0", "--open").strip()
    assert opened == [Path(written).resolve().as_uri()]


def test_a_page_has_the_sentence_and_the_table_first_and_what_it_says_once(store):
    page = Path(ran(store, "first", "--transcripts", "0").strip()).read_text()
    body = page[page.index("<body>") :]
    assert body.count("SIMULATED") == 1
    places = [body.index(part) for part in ('class="lead"', "<table", "moot-figure", "In detail")]
    assert places == sorted(places)
    analyses = re.split(r'<details class="(?:settings )?fold"', body)[0]
    assert analyses.count("<details") == analyses.count('<details class="further">')
    captions = re.findall(r"<figcaption>(.+?)</figcaption>", body)
    assert captions
    assert all(body.count(f">{caption}<") == 1 for caption in captions)
