"""``moot analyse`` and ``moot report`` with charts, as a user has them."""

import asyncio

import pytest
from click.testing import CliRunner

import moot
from moot.cli.main import moot as command

STUDY = {
    "name": "small",
    "settings": {"model": "simulated/people?accuracy=0.6"},
    "datasets": [{"name": "arithmetic", "n": 6}],
    "arms": [{"protocol": "single"}, {"protocol": "self-consistency", "samples": [3, 5, 7]}],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("charts")
    asyncio.run(moot.run(STUDY, store=folder / "store"))
    return folder / "store"


def invoke(line, store):
    return CliRunner().invoke(command, f"{line} --store {store}")


def test_charts_are_written_and_their_files_printed(store, tmp_path):
    done = invoke(f"analyse tradeoff small --format svg --out {tmp_path}", store)
    [path] = done.output.split()
    assert path == str(tmp_path / "small-tradeoff-arithmetic.svg")
    assert "SIMULATED" in (tmp_path / "small-tradeoff-arithmetic.svg").read_text("utf-8")
    for form, begins in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("vega", b"{"), ("html", b"<!")):
        out = tmp_path / f"one.{'json' if form == 'vega' else form}"
        done = invoke(f"analyse tradeoff small --format {form} --out {out}", store)
        assert done.exit_code == 0, done.output
        assert out.read_bytes().lower().startswith(begins.lower())


def test_figures_of_other_content_are_not_written_over(store, tmp_path):
    line = f"analyse tradeoff small --format {{}} --out {tmp_path}"
    for form in ("svg", "pdf", "png"):
        assert [invoke(line.format(form), store).exit_code for _ in range(2)] == [0, 0], "the same"
    file = tmp_path / "small-tradeoff-arithmetic.svg"
    before = file.read_bytes()
    done = invoke(f"{line.format('svg')} --theme dark", store)
    assert done.exit_code == 2
    words = " ".join(done.output.split())
    assert f"{file}: exists already and differs" in words.replace(" small-", "small-")
    assert "--force" in words
    assert file.read_bytes() == before
    assert invoke(f"{line.format('svg')} --theme dark --force", store).exit_code == 0
    assert file.read_bytes() != before
    table = f"analyse accuracy small --format csv --out {tmp_path}"
    assert invoke(table, store).exit_code == 0
    assert invoke(f"{table} --arm self-consistency", store).exit_code == 2


def test_the_style_is_what_is_asked_for(store, tmp_path):
    def draw(*options):
        out = tmp_path / "drawn.svg"
        done = invoke(f"analyse scaling small --format svg --out {out} {' '.join(options)}", store)
        assert done.exit_code == 0, done.output
        return out.read_text("utf-8")

    plain = draw()
    assert "mark-rule role-mark" in plain
    assert "mark-rule role-mark" not in draw("--no-whiskers")
    assert 'pt"' in draw("--width", "column")
    assert "#15181d" in draw("--theme", "dark")
    assert draw("--height", "90") != plain


def test_arms_are_chosen(store, tmp_path):
    out = tmp_path / "one.json"
    line = f"analyse tradeoff small --arm self-consistency --format vega --out {out}"
    assert invoke(line, store).exit_code == 0
    assert '"arm": "single"' not in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("analyse tradeoff small --format gif", "gif"),
        ("analyse tradeoff small --width wide --format svg", "--width wide"),
        ("analyse gains small --format svg", "no agent can speak twice"),
        ("analyse compare small --pair single=single --format svg", "it has no chart"),
    ],
)
def test_bad_input_is_named(store, line, said):
    done = invoke(line, store)
    assert done.exit_code != 0
    assert said in done.output + str(done.exception)


def test_a_report_has_the_charts_of_all_analyses(store, tmp_path):
    out = tmp_path / "report.html"
    assert invoke(f"report small --out {out}", store).exit_code == 0
    page = out.read_text("utf-8")
    assert {"tradeoff-arithmetic", "scaling-samples-arithmetic"} <= {
        part.split('"')[0] for part in page.split('id="figure-')[1:]
    }
    assert invoke(f"report small --no-figures --out {out}", store).exit_code == 0
    assert "figure-tradeoff" not in out.read_text("utf-8")
    done = invoke(f"report small --format svg --out {tmp_path / 'drawn'}", store)
    assert str(tmp_path / "drawn" / "boxes.svg") in done.output.split()
