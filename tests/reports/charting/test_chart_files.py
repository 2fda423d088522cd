"""Figures as files."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from moot.core.errors import InputError
from moot.reports.charting.chart_files import FORMATS, write_chart

BEGINS = {
    "html": b"<!doctype html>",
    "png": b"\x89PNG\r\n",
    "svg": b"<svg",
    "pdf": b"%PDF-",
    "json": b"{",
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_each_format_is_what_it_says(drawn, tmp_path, suffix):
    path = tmp_path / "deep" / f"gains.{suffix.upper()}"
    write_chart(drawn["gains"], path)
    content = path.read_bytes()
    assert content.startswith(BEGINS[suffix])
    assert len(content) > 1000


def test_the_definition_is_vega_lite(drawn, tmp_path):
    write_chart(drawn["gains"], tmp_path / "gains.json")
    spec = json.loads((tmp_path / "gains.json").read_text("utf-8"))
    assert "vega-lite" in spec["$schema"]
    assert spec["title"]["text"] == [drawn["gains"].title]


@pytest.mark.parametrize("name", ["chart.gif", "chart", "chart.svg.zip"])
def test_a_suffix_that_is_none_is_named_with_those_that_are(drawn, tmp_path, name):
    with pytest.raises(InputError, match=r"\.html, \.png, \.svg, \.pdf, \.json"):
        write_chart(drawn["gains"], tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_file_that_cannot_be_written_is_named(drawn, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"gains\.json: cannot be written"):
        write_chart(drawn["gains"], tmp_path / "file" / "gains.json")


@pytest.mark.parametrize("name", ["altair", "vl_convert"])
def test_without_the_extra_it_is_said_how_to_get_it(name):
    code = (
        f"import sys; sys.modules[{name!r}] = None\n"
        "from moot.core.errors import InputError\n"
        "from moot.reports.charting.chart import draw_charts\n"
        "from moot.reports.charting.chart_page import fragment, script\n"
        "for draw in (lambda: draw_charts([], {}), script):\n"
        "    try: draw()\n"
        "    except InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(name in line and "pip install moot[report]" in line for line in lines)


def test_importing_them_imports_neither_altair_nor_what_draws():
    code = (
        "import sys, moot.reports.charts, moot.cli.figures; "
        "print({'altair', 'vl_convert', 'jinja2', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_page_of_its_own_is_whole(drawn, tmp_path):
    seen = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.append(tag)
            assert not {"src", "href"} & dict(attrs).keys()

    write_chart(drawn["gains"], tmp_path / "gains.html")
    Tags().feed((tmp_path / "gains.html").read_text("utf-8"))
    assert seen.count("script") == 2
    assert seen.count("figure") == 1


def test_what_the_page_says_works_and_it_names_every_kind(
    whole, study, drawn, tmp_path, monkeypatch
):
    page = (Path(__file__).parents[3] / "docs" / "figures.md").read_text("utf-8")
    assert {chart.partition("-")[0] for chart in drawn} <= set(re.findall(r"`([a-z]+)`", page))
    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names = {"results": whole, "study": study}
    exec(example, names)
    assert (tmp_path / "cost.pdf").exists()
    assert names["html"].count("<figure") == len(drawn)
