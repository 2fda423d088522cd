"""``moot figures`` as a user has it."""

from functools import partial

import pytest

from moot.cli.figures import _choose
from moot.core.errors import InputError, UnknownName
from moot.reports.charting.chart import Chart
from support.commands import STUDY, run_command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a store in which a small study was run."""
    folder = tmp_path_factory.mktemp("figures")
    (folder / "small.toml").write_text(STUDY)
    assert run_command(folder, "run", "small.toml")[0] == 0
    return folder


@pytest.fixture
def figures(folder):
    return partial(run_command, folder, "figures")


def test_one_figure_or_one_kind_is_choose():
    made = [Chart(name, "", "", None) for name in ("cost-a", "cost-b", "costly-a", "gains")]
    assert _choose(made, ()) == made
    assert _choose(made, ("cost",)) == made[:2]
    assert _choose(made, ("gains", "cost-b")) == [made[1], made[3]]
    with pytest.raises(UnknownName, match="did you mean 'cost-"):
        _choose(made, ("cost-", "gains"))
    with pytest.raises(InputError, match="no figure can be drawn"):
        _choose([], ())


def test_files_are_written_and_printed(figures, folder):
    code, out, _ = figures(
        *("small", "--out", "drawn", "--format", "svg", "--format", "json", "--only", "tokens")
    )
    assert code == 0
    paths = out.splitlines()
    assert paths == ["drawn/tokens-arithmetic.svg", "drawn/tokens-arithmetic.json"]
    assert "(simulated)" in (folder / paths[0]).read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["small", "--format", "gif"], ["gif", "--format", "svg"]),
        (["other"], ["other"]),
        ([], ["RUN"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_named(figures, arguments, said):
    code, out, err = figures(*arguments)
    assert (code, out) == (2, "")
    for part in said:
        assert part in err
