"""What a notebook shows: HTML that is text, short lines, and data frames."""

import asyncio
import re
import sys

import pytest

import moot
from moot.core.results import Results
from moot.reports import drawings
from support.report_page import Page

STUDY = {
    "name": "trial",
    "settings": {"model": "simulated/people?accuracy=0.6"},
    "datasets": [{"name": "arithmetic", "n": 12, "difficulty": 4}],
    "arms": [
        {"protocol": "single"},
        {"name": "minds", "protocol": "society-of-minds", "agents": 3, "rounds": 2},
    ],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An answer, an essay, an outcome and a report, of simulated models."""
    store = tmp_path_factory.mktemp("store")
    model = {"model": "simulated/crowd", "store": store}

    async def make():
        return (
            await moot.ask("Is 91 prime?", kind="boolean", protocol="society-of-minds", **model),
            await moot.write("Museums should be free.", protocol="essay-direct", **model),
            await moot.run(STUDY, store=store),
            await moot.analyse("accuracy", "trial", store=store),
        )

    return asyncio.run(make())


def checked(value) -> Page:
    """The HTML of a value, which runs nothing and needs nothing."""
    html = value._repr_html_()
    read = Page(html)
    assert read.open == []
    tags = [tag for tag, _ in read.elements]
    assert not {"script", "link", "iframe", "img", "a", "object"} & set(tags)
    assert tags.count("style") == 1
    for _, attributes in read.elements:
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(r"url\(|@import", html)
    return read


def test_an_answer_shows_its_verdict_its_debate_and_its_price(made):
    answer, *_ = made
    text = checked(answer).text
    for words in (
        "Is 91 prime?",
        f"{answer.answer} by majority",
        "Round 2",
        "6 calls",
        "Simulated",
    ):
        assert words in text
    assert answer.run in text
    assert answer.turns[0].text.split(".")[0] in text
    assert checked(answer.transcript).text.startswith("Is 91 prime?")


def test_a_study_shows_its_finding_its_chart_and_its_tables(made):
    pytest.importorskip("vl_convert")
    *_, outcome, report = made
    for value in (outcome, outcome.results, report):
        read = checked(value)
        assert report.findings[0] in read.text
        assert "p (Holm)" in read.text
        assert "SIMULATED" in read.text
        assert "svg" in [tag for tag, _ in read.elements]
    assert "24 of 24 debates" in checked(outcome).text
    assert "single" in checked(report.tables[0]).text


def test_hostile_texts_are_texts(tmp_path, hostile):
    model = moot.Scripted(lambda _: f"{hostile} Final answer: {hostile}", name="bad")
    answer = asyncio.run(moot.ask(hostile, model=model, store=tmp_path))
    assert "alert(1)" in checked(answer).text
    failing = moot.Scripted(lambda _: moot.RefusedError(hostile), name="worse")
    assert (
        "No verdict" in checked(asyncio.run(moot.ask("Why?", model=failing, store=tmp_path))).text
    )


def test_data_frames_have_the_turns_and_the_arms(made):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    answer, written, outcome, report = made
    assert list(answer.to_pandas()["agent"]) == [turn.agent for turn in answer.turns]
    assert list(answer.to_polars()["answer"]) == [turn.answer for turn in answer.turns]
    frame = outcome.to_pandas()
    assert list(frame["arm"]) == ["single", "minds"]
    assert list(frame["accuracy"]) == [arm.accuracy.mean for arm in outcome.results.arms]
    assert pandas.isna(frame["difference"][0])
    assert outcome.results.to_polars().equals(polars.DataFrame(outcome.records))
    tables = report.to_pandas()
    assert list(tables) == [table.title for table in report.tables]
    assert len(report.to_polars()) == len(tables)
    assert written.to_pandas().empty


def test_a_run_without_a_debate_is_shown(made):
    empty = Results(run="r", name="n", simulated=False, baseline=None, arms=())
    assert "No debate has ended yet." in checked(empty).text
    assert repr(empty) == "Results(r: 0 arms on no dataset, 0 debates)"
    assert empty.to_pandas().empty


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_what_is_missing_is_named(made, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(moot.InputError, match=f"pip install {name}"):
        getattr(made[0], f"to_{name}")()


def test_without_what_draws_charts_the_rest_is_shown(made, monkeypatch):
    def missing(*_):
        raise moot.InputError("figures need altair")

    monkeypatch.setattr(drawings, "keep_drawing", missing)
    assert "pip install moot[report]" in checked(made[-1]).text


def test_charts_take_the_colour_of_the_text_around_them(made):
    pytest.importorskip("vl_convert")
    [chart] = made[-1].charts
    html = chart._repr_html_()
    assert "currentColor" in html
    assert not re.search(r'(fill|stroke)="(white|black|#222222|#000000)"', html)
    assert "background:" not in html.partition("</style>")[2]
    assert "background-color" not in html.partition("</style>")[2]
