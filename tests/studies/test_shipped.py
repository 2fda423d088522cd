"""The studies that come with moot: each can be planned and run, and is what its paper's was."""

import json
import re
import tomllib
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

import moot
from locked import locked
from moot.cli.run import run
from moot.core.errors import InputError, UnknownName
from moot.datasets.gpqa import PASSWORD
from moot.datasets.library import add, entries
from moot.studies.plan import Plan
from moot.studies.sources import shipped, shipped_named
from moot.studies.study import gather, load

PEOPLE = "simulated/people?accuracy=0.5"
OTHERS = [PEOPLE, "simulated/others?accuracy=0.6"]
HEAD = (
    "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\n"
)
GPQA = HEAD + "".join(f"rec{n},What is {n} + 1?,{n + 1},{n},{n + 2},{n + 3}\n" for n in range(50))
COPIES = {"chess-state-tracking": "chess"}
"""The folders of the shared copies that have another name than their dataset."""


def study(name):
    """A shipped study, its models simulated."""
    if name == "other-models":
        return load({"name": name, "extends": name, "settings": {"model": OTHERS}})
    return load(name, model=PEOPLE)


@pytest.fixture
def copied(shared_data, tmp_path):
    """Takes the published files of these datasets into the library of the test.

    Of gpqa it takes a small archive of our own, since the published one takes a second to read.
    """

    def copy(names):
        for name in names:
            if name == "gpqa":
                path = tmp_path / "dataset.zip"
                path.write_bytes(locked("dataset/gpqa_main.csv", GPQA.encode(), PASSWORD))
                add(name, path, force=True)
            elif any(entry.name == name and entry.state != "built in" for entry in entries()):
                add(name, shared_data / COPIES.get(name, name))

    return copy


@pytest.mark.parametrize("name", [each.name for each in shipped()])
async def test_every_shipped_study_runs(name, copied, tmp_path):
    read = study(name)
    copied({part.name for part in read.datasets})
    outcome = await moot.run(read, store=tmp_path, limit=1)
    assert outcome.done == len(read.arms) * len(read.datasets)
    assert (outcome.reasons, outcome.stopped) == ({}, None)


@pytest.mark.parametrize("name", [each.name for each in shipped()])
def test_every_shipped_study_can_be_planned_by_its_name(name, copied):
    copied({part.name for part in study(name).datasets})
    done = CliRunner().invoke(run, [name, "--model", PEOPLE, "--dry-run", "--json"])
    assert done.exit_code == 0, done.stderr
    planned = json.loads(done.stdout)
    assert planned["run"].startswith(f"{name}-")
    assert planned["estimate"]["debates"] >= len(study(name).arms)


@pytest.mark.parametrize("each", shipped(), ids=lambda each: each.name)
def test_every_shipped_study_says_what_it_asks_and_has_its_files_name(each):
    assert each.toml.startswith(f"# {each.summary}\n")
    assert 20 < len(each.summary) < 100
    assert load(each.name, model=PEOPLE).name == each.name


def test_every_study_that_needs_files_has_another_that_needs_none():
    studies = {each.name: load(each.name, model=PEOPLE) for each in shipped()}
    needy = set()
    for name, read in studies.items():
        with suppress(InputError):
            gather(read)
            continue
        needy.add(name.partition("-")[0] if name.startswith(("networks", "agreement")) else name)
    assert needy == {
        "table3",
        "table3-few-shot",
        "agreement",
        "transfer",
        "networks",
        "other-models",
    }
    assert [name for name in needy - {"other-models"} if f"{name}-sums" not in studies] == []


def test_files_that_are_missing_are_all_named_at_once():
    with pytest.raises(InputError) as caught:
        gather(load("transfer", model=PEOPLE))
    for part in (
        "medqa, pubmedqa, mmlu, cosmosqa, ciar, gpqa;",
        "moot data fetch",
        "transfer-sums",
    ):
        assert part in str(caught.value)
    with pytest.raises(InputError, match="'moot data fetch medqa'"):
        Plan(load("transfer", model=PEOPLE), limit=1)


def test_table_3_has_the_rows_of_the_paper():
    arms = study("table3").arms
    assert Counter(arm.protocol for arm in arms) == {
        "single": 4,
        "self-consistency": 2,
        "ensemble-refinement": 4,
        "medprompt": 4,
        "society-of-minds": 12,
        "chateval": 6,
        "multi-persona": 3,
    }
    assert len(study("table3-few-shot").arms) + len(arms) == 43


def test_agreement_goes_from_0_to_100_beside_none():
    told = {"multi-persona": [], "society-of-minds": [], "chateval": []}
    for arm in study("agreement").arms:
        told[arm.protocol].append(arm.settings["agreement"])
    assert all(percents == [None, *range(0, 101, 10)] for percents in told.values())
    assert {arm.protocol for arm in study("agreement-datasets").arms} == {"multi-persona"}
    assert [part.n for part in study("agreement-datasets").datasets if part.name == "medqa"] == [
        None
    ]


def test_networks_have_the_temperatures_and_sizes_of_the_paper():
    cool = [arm.settings for arm in study("networks").arms]
    assert {(one["temperature"], one["cast"][0]["temperature"]) for one in cool} == {(0.7, 0.3)}
    assert {(one["agents"], one["rounds"], one["graph"]) for one in cool} == {
        (agents, 2, graph)
        for agents in (2, 3)
        for graph in ("short-long", "feed-forward", "cascade")
    }
    table1 = [arm.settings for arm in study("networks-prompts").arms]
    assert [
        (one["placing"], one["temperature"], one["cast"][0]["temperature"]) for one in table1
    ] == [("system", 1.5, 0.5), ("user", 1.5, 0.5), ("user", 0.7, 0.3)]
    table2 = [arm.settings for arm in study("networks-communities").arms]
    assert [(one["agents"], one["rounds"]) for one in table2] == [(2, 3), (3, 2)]


def test_other_models_are_a_list():
    own = load("other-models")
    assert len({arm.settings["model"] for arm in own.arms}) == 3
    assert len(own.arms) == 3 * (len(study("table3").arms) + 1)
    assert own.baseline == own.arms[0].name


def test_a_shipped_study_is_found_by_name():
    assert shipped_named("demo").toml.count("[[arms]]") == 4
    with pytest.raises(UnknownName, match="did you mean 'demo'"):
        shipped_named("dem")


PAGE = Path(__file__).parents[2] / "docs" / "studies.md"


def test_every_shipped_study_is_on_its_page():
    text = PAGE.read_text()
    assert [each.name for each in shipped() if f"`{each.name}`" not in text] == []


def test_the_extending_study_shown_is_one():
    blocks = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    [code] = [block for block in blocks if "\nextends = " in block]
    shown = load(tomllib.loads(code))
    assert {arm.protocol for arm in shown.arms} == {"multi-persona", "society-of-minds"}
    assert len(shown.arms) == 2 * (12 + 1)
    assert [part.label for part in shown.datasets] == ["starters"]
