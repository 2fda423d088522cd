"""An analysis of one's own: found by name, given options and runs, and had in every form."""

import asyncio
import json
from typing import Annotated

import pytest
from click.testing import CliRunner
from msgspec import Meta

import moot
from moot.analyses.analysis import registry
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.run_reports import report_runs
from moot.cli.main import moot as command
from moot.studies.lab import open_lab

STUDY = {
    "name": "sums",
    "settings": {"model": "simulated/people?accuracy=0.6"},
    "datasets": [{"name": "arithmetic", "n": 6}],
    "arms": [{"protocol": "single"}, {"protocol": "self-consistency", "samples": [3, 5]}],
}


COLUMNS = (("arm", "text"), ("long", "count"), ("debates", "count"))


@pytest.fixture
def lengths():
    """An analysis that counts debates with at least so many calls."""

    @moot.analysis(source="this test", needs=("calls",), name="lengths")
    def count_long_debates(
        runs: moot.RecordedRuns,
        *,
        least: Annotated[int, Meta(ge=1, description="calls of a long debate")] = 4,
        names: list[str] = [],  # noqa: B006 -- an option's default
    ) -> moot.Report:
        """Count the debates that are long."""
        rows = []
        for arm in runs.arms:
            own = [each.values["calls"] for each in runs.values if each.arm == arm.name]
            long = sum(calls >= least for calls in own)
            rows.append(moot.TableRow([arm.name, long, len(own)]))
        columns = [moot.Column(name, kind) for name, kind in COLUMNS]
        table = moot.ResultTable("Long", columns, rows)
        return moot.Report("Lengths", runs.key, [table], data=names)

    yield
    del registry._found["lengths"]
    registry._sorted = None


@pytest.fixture
def store(tmp_path):
    asyncio.run(moot.run(STUDY, store=tmp_path))
    return tmp_path


def analyse(*args, **options):
    return asyncio.run(moot.analyse(*args, **options))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A run in which one agent answers alone."""
    folder = tmp_path_factory.mktemp("plain")
    asyncio.run(moot.run(STUDY | {"arms": [{"protocol": "single"}]}, store=folder))
    return folder


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("adaptive", "self-consistency of its models beside it"),
        ("calibration", "ask for one by the setting confidence"),
        ("cases", "no two methods of it differ in being control-right"),
        ("contrasts", "controls = true"),
        ("decisions", "no debate of it has two votes"),
        ("flip-sources", "controls = true"),
        ("judge-bias", "no verdict of it supports"),
        ("league", "no debate of debate-match"),
        ("networks", "no debate of it is of a network with edges"),
        ("oversight", "no oversight-debate or oversight-consultancy"),
        ("predictors", "controls = true"),
        ("prejudice", "no two methods differ in their opening alone"),
        ("ranker-bias", "no debate of it has a ranking"),
        ("review-weights", "no debate of peer-review"),
    ],
)
def test_what_a_run_lacks_for_an_analysis_is_said(plain, name, said):
    with pytest.raises(moot.InputError, match=said):
        analyse(name, "sums", store=plain)


@pytest.mark.usefixtures("lengths")
def test_an_analysis_is_given_runs_and_options(store):
    report = analyse("lengths", "sums", store=store)
    assert [row.cells for row in report.tables[0].rows] == [
        ["single", 0, 6],
        ["self-consistency samples=3", 0, 6],
        ["self-consistency samples=5", 6, 6],
    ]
    assert report.simulated
    report = analyse("lengths", "sums", store=store, arms=["self*"], least=3, names=["a"])
    assert [row.cells[1] for row in report.tables[0].rows] == [6, 6]
    assert report.data == ["a"]


@pytest.mark.usefixtures("lengths")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("lengths sums --least 0", "analysis lengths: setting least = '0': expected `int` >= 1"),
        ("lengts sums", "did you mean 'lengths'?"),
        ("lengths sums --arm sngle", "--arm: unknown arm 'sngle'; did you mean 'single'?"),
        ("lengths sums --dataset gsm8k", "--dataset: unknown dataset 'gsm8k'"),
        ("lengths none", "none"),
        ("debate-metrics sums --metric acuracy", "metric: unknown metric 'acuracy'"),
    ],
)
def test_what_is_wrong_is_named(store, given, said, capsys):
    done = CliRunner().invoke(command, f"analyse {given} --store {store}")
    assert done.exit_code != 0
    assert said in done.output + str(done.exception)


def test_an_option_needs_a_default():
    with pytest.raises(moot.InputError, match="option least needs a type and a default"):

        @moot.analysis(source="this test")
        def bad(runs, *, least: int) -> moot.Report:
            """Count."""


def test_an_analysis_says_what_it_is_about():
    with pytest.raises(moot.InputError, match="did you mean 'debate'"):

        @moot.analysis(source="this test", group="debatte")
        def bad(runs) -> moot.Report:
            """Count."""

    own = [each for each in registry if each.function.__module__.startswith("moot.")]
    assert all(each.group for each in own)  # "Others" is for those of other packages


@pytest.mark.usefixtures("lengths")
def test_joined_runs_count_a_debate_once(store):
    more = {**STUDY, "datasets": [{"name": "arithmetic", "n": 8}]}
    less = {**STUDY, "arms": [{"protocol": "single", "temperature": 0.2}]}
    asyncio.run(moot.run(more | {"name": "more"}, store=store))
    asyncio.run(moot.run(less | {"name": "less"}, store=store))
    report = analyse("lengths", "sums", "more", store=store)
    assert [row.cells[2] for row in report.tables[0].rows] == [8, 8, 8]
    assert "18 debates that several runs hold counted once." in report.notes
    report = analyse("lengths", "sums", "less", store=store)
    assert [row.cells[2] for row in report.tables[0].rows] == [6, 6, 6, 6]
    assert len({row.cells[0].split(" · ")[0] for row in report.tables[0].rows}) == 3


def test_looking_at_one_arm_changes_no_figure_of_it(store):
    more = {**STUDY, "name": "more", "datasets": [{"name": "arithmetic", "n": 8}]}
    asyncio.run(moot.run(more, store=store))
    for runs in (["sums"], ["sums", "more"]):
        for family in ("dataset", "all"):
            whole = analyse("accuracy", *runs, store=store, family=family).data[0].arms
            options = {"arms": ["*=5"], "family": family}
            [one] = analyse("accuracy", *runs, store=store, **options).data[0].arms
            assert one == whole[2]
            assert one.difference is not None


@pytest.mark.usefixtures("lengths")
def test_runs_that_mean_other_questions_are_not_joined(tmp_path):
    file = tmp_path / "own.jsonl"
    for name, text in (("first", "What is 2 + 2?"), ("second", "What is 3 + 1?")):
        file.write_text(json.dumps({"id": "q", "question": text, "answer": "4"}))
        asked = {"name": "file", "label": "own", "path": str(file)}
        asyncio.run(moot.run({**STUDY, "name": name, "datasets": [asked]}, store=tmp_path))
    with pytest.raises(moot.InputError, match="question q of own is not the same in runs"):
        analyse("lengths", "first", "second", store=tmp_path)


@pytest.mark.usefixtures("lengths")
def test_what_is_needed_and_unknown_is_said(tmp_path):
    asked = {**STUDY, "datasets": [{"name": "arithmetic", "n": 1}]}
    asyncio.run(moot.run(asked, store=tmp_path))

    @moot.analysis(source="this test", needs=("self-agreement-of-nobody",), name="needy")
    def needy(runs: moot.RecordedRuns) -> moot.Report:
        """Need what is not there."""
        raise AssertionError

    with pytest.raises(moot.NothingToAnalyse, match=r"no debate of sums-.* has a known self-agree"):
        analyse("needy", "sums", store=tmp_path)
    del registry._found["needy"]


@pytest.mark.parametrize(
    ("needs", "lack"),
    [
        ({}, ""),
        ({"needs": ("accuracy",)}, ""),
        ({"needs": ("essay-words",)}, "no debate of RUN has a known essay-words"),
        ({"protocols": ("single", "league")}, ""),
        ({"protocols": ("debate-match",)}, "RUN has no method of debate-match"),
        ({"varies": ("temperature", "samples")}, ""),
        ({"varies": ("temperature",)}, "no two methods of RUN differ in temperature"),
        (
            {"protocols": ("single",), "varies": ("samples",)},
            "no two methods of RUN differ in samples",
        ),
    ],
)
def test_what_runs_lack_is_told_without_reading_a_debate(tmp_path, monkeypatch, needs, lack):
    study = {
        "name": "lacking",
        "settings": {"model": "simulated/people?accuracy=0.6"},
        "datasets": [{"name": "arithmetic", "n": 2}],
        "arms": [{"protocol": "single"}, {"protocol": "self-consistency", "samples": [2, 3]}],
    }
    key = moot.run_sync(study, store=tmp_path).run

    @moot.analysis(source="this test", name="lacking", **needs)
    def own(runs: moot.RecordedRuns) -> moot.Report:  # pragma: no cover -- never applied
        raise AssertionError

    async def ask():
        async with open_lab(tmp_path, readonly=True) as lab:
            runs = RecordedRuns(lab, ["lacking"])
            monkeypatch.setattr(RecordedRuns, "debates", None)
            return registry.get("lacking").find_lack(runs)

    try:
        assert asyncio.run(ask()) == lack.replace("RUN", key)
    finally:
        del registry._found["lacking"]
        registry._sorted = None


def test_a_report_that_tells_what_runs_lack_is_made_once(tmp_path):
    study = {
        "name": "once",
        "settings": {"model": "simulated/people?accuracy=0.6"},
        "datasets": [{"name": "arithmetic", "n": 2}],
        "arms": [{"protocol": "single"}],
    }
    moot.run_sync(study, store=tmp_path)
    made = []

    @moot.analysis(source="this test", tried=True)
    def counted(runs: moot.RecordedRuns, *, size: int = 1) -> moot.Report:
        """Count how often it is made."""
        made.append(size)
        return moot.Report("Counted", "", [])

    async def ask():
        async with open_lab(tmp_path, readonly=True) as lab:
            runs, found = RecordedRuns(lab, ["once"]), registry.get("counted")
            assert found.find_lack(runs) == ""
            assert report_runs(runs)[0]["counted"] is found.apply(runs, {})
            assert made == [1]
            assert found.apply(runs, {"size": 2}) is not found.apply(runs, {})
            assert found.apply(RecordedRuns(lab, ["once"]), {}).title == "Counted"

    try:
        asyncio.run(ask())
    finally:
        del registry._found["counted"]
        registry._sorted = None
    assert made == [1, 2, 1]


def test_only_what_a_run_can_be_given_is_listed(tmp_path):
    settings = {"model": "simulated/people?accuracy=0.6"}
    plain = {
        "name": "plain",
        "settings": settings,
        "datasets": [{"name": "arithmetic", "n": 3}],
        "arms": [{"protocol": "single"}, {"protocol": "multi-persona"}],
    }
    seated = {
        "name": "seated",
        "settings": settings,
        "datasets": [{"name": "arithmetic", "n": 3}],
        "arms": [
            {"protocol": "society-of-minds"},
            {"protocol": "multi-persona", "speaks_first": ["affirmative", "negative"]},
        ],
    }
    moot.run_sync(plain, store=tmp_path)
    moot.run_sync(seated, store=tmp_path)

    async def ask(*names):
        async with open_lab(tmp_path, readonly=True) as lab:
            runs = RecordedRuns(lab, names)
            return {each.name for each in registry if not each.find_lack(runs)}

    never = {"networks", "network", "option-bias", "contrasts", "flip-sources", "predictors"}
    one, other = asyncio.run(ask("plain")), asyncio.run(ask("seated"))
    assert not (never | {"compare", "judge-bias"}) & one
    assert "accuracy" in one
    assert {"judge-bias", "calibration"} <= other
    assert not (never | {"compare"}) & other
    assert "compare" in asyncio.run(ask("plain", "seated"))
