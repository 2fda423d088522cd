"""Figures as files."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from moot.analyses.analysis import registry
from moot.core.errors import InputError
from moot.reports import drawings
from moot.reports.chart_files import SUFFIXES, write_chart
from moot.reports.chart_style import ChartStyle, parse_style
from support.charted_runs import draw, make_whole

FORMATS = tuple(SUFFIXES.values())


@pytest.fixture(scope="module")
def gains():
    return draw(make_whole(), "gains")["gains"]


BEGINS = {
    "html": b"<!doctype html>",
    "png": b"\x89PNG\r\n",
    "svg": b"<svg",
    "pdf": b"%PDF-",
    "json": b"{",
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_each_format_is_what_it_says(gains, tmp_path, suffix):
    path = tmp_path / "deep" / f"gains.{suffix.upper()}"
    write_chart(gains, path)
    content = path.read_bytes()
    assert content.startswith(BEGINS[suffix])
    assert len(content) > 1000


@pytest.mark.parametrize("name", ["chart.gif", "chart", "chart.svg.zip"])
def test_a_suffix_that_is_none_is_named_with_those_that_are(gains, tmp_path, name):
    with pytest.raises(InputError, match=r"\.svg, \.png, \.pdf, \.html, \.json"):
        write_chart(gains, tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["altair", "vl_convert"])
def test_without_the_extra_it_is_said_how_to_get_it(name):
    code = (
        f"import sys; sys.modules[{name!r}] = None\n"
        "from moot.core.errors import InputError\n"
        "from moot.core.chart import Axis, Chart, Plot\n"
        "from moot.reports.chart_page import script\n"
        "from moot.reports.plots import make_vega\n"
        "chart = Chart('a', '', '', [{'x': 1}], Plot('dots', Axis('x'), Axis('x')))\n"
        "for draw in (lambda: make_vega(chart), script):\n"
        "    try: draw()\n"
        "    except InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(name in line and "pip install moot[report]" in line for line in lines)


def test_what_was_drawn_is_kept_by_all_it_depends_on(gains, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(drawings, "_here", {})
    first = drawings.draw_chart(gains, "svg")
    monkeypatch.setattr(drawings, "_here", {})
    monkeypatch.setattr(drawings, "_draw", None)
    assert drawings.draw_chart(gains, "svg") == first
    for other in (gains._replace(title="Another"), gains._replace(rows=gains.rows[:1])):
        with pytest.raises(TypeError, match="NoneType"):
            drawings.draw_chart(other, "svg")
    for style in (ChartStyle(theme="dark"), ChartStyle(width=500), ChartStyle(whiskers=False)):
        with pytest.raises(TypeError, match="NoneType"):
            drawings.draw_chart(gains, "svg", style)


def test_kept_drawings_are_bounded_and_a_folder_that_cannot_be_written_is_no_loss(
    gains, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(drawings, "KEPT_FILES", 4)
    for number in range(12):
        drawings.draw_chart(gains._replace(title=f"{number}"), "vega")
        assert len(list(drawings.drawings_folder().iterdir())) <= 4
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert drawings.draw_chart(gains._replace(title="x"), "vega").startswith(b"{")


def test_print_has_points_and_its_texts_fit_a_paper(gains):
    svg = drawings.draw_chart(gains, "svg", ChartStyle(width="column")).decode()
    assert 0.8 * 241 <= float(re.search(r'width="([\d.]+)pt"', svg)[1]) <= 250
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg)}
    assert min(sizes) >= 7
    assert max(sizes) <= 9.5


def test_what_the_page_of_docs_says_works_and_it_names_every_analysis(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "figures.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([a-z][a-z-]*)` \|", page, re.MULTILINE))
    assert named == {each.name for each in registry if each.draws}
    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    charts = list(draw(make_whole(), "gains").values())
    names = {"report": SimpleNamespace(charts=charts)}
    exec(example, names)
    assert (tmp_path / "chart.pdf").exists()
    assert names["html"].count("<figure") == len(charts)


def test_a_file_that_cannot_be_written_is_named(gains, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"gains\.json: cannot be written"):
        write_chart(gains, tmp_path / "file" / "gains.json")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"width": "wide"}, "--width wide"),
        ({"width": "9" * 5000}, "--width 9999"),
        ({"width": "9"}, "160 to 4000"),
        ({"height": 3}, "--height 3"),
    ],
)
def test_a_style_that_is_none_is_named(given, said):
    with pytest.raises(InputError, match=said):
        parse_style(**given)
