"""The studies that come with moot: each can be planned and run, and is what its paper's was."""

import re
import tomllib
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

import moot
from moot.analyses.analysis import registry as analyses
from moot.analyses.ladders import find_ladders
from moot.core.errors import InputError
from moot.datasets.data_files import data_folder
from moot.datasets.dataset import registry as datasets
from moot.datasets.gpqa import PASSWORD
from moot.datasets.library import add
from moot.debate.protocol import registry as protocols
from moot.studies.plan import Plan
from moot.studies.sources import get_shipped_study, list_shipped_studies
from moot.studies.study_file import load, require_files
from support.archives import locked

PEOPLE = "simulated/people?accuracy=0.5"
OTHERS = [PEOPLE, "simulated/others?accuracy=0.6"]
HEAD = (
    "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\n"
)
GPQA = HEAD + "".join(f"rec{n},What is {n} + 1?,{n + 1},{n},{n + 2},{n + 3}\n" for n in range(50))
COPIES = {"chess-state-tracking": "chess"}
"""The folders of the shared copies that have another name than their dataset."""


SOCIETIES = ("langgraph", "camel", "autogen")
SOCIETAL = {
    f"{study}{own}"
    for study in ("prejudice-society-level", "fidelity-society", "fidelity-costs")
    for own in ("", "-sums")
}
"""The studies whose arms run on other libraries, which need not all be here."""
NAMES = [each.name for each in list_shipped_studies()]


def written_arms(name):
    """The arms as they stand in a study, or in the one that it extends."""
    written = tomllib.loads(get_shipped_study(name).toml)
    return written.get("arms") or written_arms(written["extends"])


def study(name):
    """A shipped study, its models simulated; without what runs on libraries that are not here."""
    given = {"name": name, "extends": name, "settings": {"model": OTHERS}}
    if name in SOCIETAL:
        absent = [each for each in SOCIETIES if not protocols.get(each).is_installed]
        if len(absent) == len(SOCIETIES):
            pytest.skip("none of the libraries that its arms run on is installed")
        named = {arm.get("name", arm["protocol"]) for arm in written_arms(name)}
        return load(given | {"drop_arms": [n for n in named if n.partition(" ")[0] in absent]})
    read = load(name, model=PEOPLE)
    own = {arm.settings["model"] for arm in read.arms}
    return read if own == {PEOPLE} else load(given)


EXAMPLES = {
    "medqa": "".join(
        f'{{"question": "What is {row}?", "options": {{"A": "w", "B": "x", "C": "y", "D": "z"}}, '
        '"answer": "x", "answer_idx": "B"}\n'
        for row in range(5)
    ),
    "mmlu": "question,choice0,choice1,choice2,choice3,answer\nWhat is it?,w,x,y,z,1\n",
}
"""Training files of our own."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The folder of the files that were taken for any test."""
    return tmp_path_factory.mktemp("library")


@pytest.fixture
def copied(shared_data, library, tmp_path, monkeypatch):
    """Links the published files of these datasets, each taken once, into the library of the test.

    Of gpqa it takes a small archive of our own, since the published one takes a second to read; of
    debatepedia the titles that were made of the published file. Training files of medqa and mmlu
    are of our own.
    """

    def take(name):
        if name == "gpqa":
            path = tmp_path / "dataset.zip"
            path.write_bytes(locked("dataset/gpqa_main.csv", GPQA.encode(), PASSWORD))
            add(name, path, force=True)
        elif name == "debatepedia":
            add(name, shared_data / name / "titles.jsonl", force=True)
        else:
            add(name, shared_data / COPIES.get(name, name))
            if name in EXAMPLES:
                for file in datasets.get(name).examples.files:
                    (tmp_path / file.name).write_text(EXAMPLES[name])
                    add(name, tmp_path / file.name, force=True)

    def copy(names):
        own = data_folder()
        own.mkdir()
        for name in names:
            if datasets.get(name).files:
                if not (library / name).exists():
                    with monkeypatch.context() as patch:
                        patch.setenv("MOOT_DATA", str(library))
                        take(name)
                (own / name).symlink_to(library / name)

    return copy


WITH_TWIN = [name for name in NAMES if f"{name}-sums" in NAMES]
"""Studies of published questions; the one with the same arms on sums is run in less time."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name in WITH_TWIN)) for name in NAMES]
)
async def test_every_shipped_study_runs(name, copied, tmp_path):
    read = study(name)
    copied({part.name for part in read.datasets})
    outcome = await moot.run(read, store=tmp_path, limit=1)
    assert outcome.done == len(read.arms) * len(read.datasets) * read.replicates
    assert (outcome.reasons, outcome.stopped) == ({}, None)


def test_files_that_are_missing_are_all_named_at_once():
    with pytest.raises(InputError) as caught:
        require_files(load("transfer", model=PEOPLE))
    named = "medqa, pubmedqa, mmlu, cosmosqa, ciar, gpqa;"
    for part in (named, "moot data fetch", "transfer-sums"):
        assert part in str(caught.value)
    with pytest.raises(InputError, match=named):
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
    few = study("table3-few-shot")
    assert len(few.arms) + len(arms) == 43
    assert [part.name for part in few.datasets] == ["medqa", "pubmedqa", "mmlu"]
    assert {arm.settings["shots"] for arm in few.arms} == {5}
    for name in ("table3", "agreement"):  # as in the benchmark's code
        minds = [arm.settings for arm in study(name).arms if arm.protocol == "society-of-minds"]
        assert {(each["exchange"], each["memory"]) for each in minds} == {("sequential", "last")}
        assert {(each["temperature"], each["top_p"]) for each in minds} == {(0.5, 0.5)}


PAGE = Path(__file__).parents[2] / "docs" / "studies.md"


def test_the_extending_study_shown_is_one():
    blocks = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    [code] = [block for block in blocks if "\nextends = " in block]
    shown = load(tomllib.loads(code))
    assert {arm.protocol for arm in shown.arms} == {"multi-persona", "society-of-minds"}
    assert len(shown.arms) == 2 * (12 + 1)
    assert [part.label for part in shown.datasets] == ["starters"]


@pytest.mark.parametrize("each", list_shipped_studies(), ids=lambda each: each.name)
def test_every_shipped_study_says_what_it_asks_and_is_on_its_page(each):
    written = tomllib.loads(each.toml)
    assert each.toml.startswith(f"# {each.summary}\n")
    assert 20 < len(each.summary) < 100
    assert written["name"] == each.name
    assert f"`{each.name}`" in PAGE.read_text()
    assert set(written.get("analyses", ())) <= set(analyses.names())
    if each.name in SOCIETAL:
        return
    with suppress(InputError):
        require_files(load(each.name, model=PEOPLE))
        return
    stem = each.name.removesuffix("-mmlu")
    twins = {"essays": "essays-own", "documents": "documents-own"}  # a sum has no passage
    twin = twins.get(stem, "networks-sums" if stem.startswith("networks") else f"{stem}-sums")
    assert twin in NAMES  # which needs no files


def test_the_sizes_of_the_papers():
    told = {"multi-persona": [], "society-of-minds": [], "chateval": []}
    for arm in study("agreement").arms:
        told[arm.protocol].append(arm.settings["agreement"])
    assert all(percents == [None, *range(0, 101, 10)] for percents in told.values())
    *cool, pool = [arm.settings for arm in study("networks").arms]
    assert (pool["samples"], pool["temperature"]) == (4 * 64, 0.7)  # for the dearest, of 64 calls
    assert {(one["temperature"], one["cast"][0]["temperature"]) for one in cool} == {(0.7, 0.3)}
    graphs = "short-long", "feed-forward", "cascade"
    sizes = {(one["agents"], one["rounds"], one["graph"]) for one in cool}
    assert sizes == {(agents, 2, graph) for agents in (2, 3) for graph in graphs}
    rounds = {ladder.setting: ladder for ladder in find_ladders(load("fidelity-rounds-sums").arms)}
    assert [rung.size for rung in rounds["rounds"].rungs] == [1, 2, 3, 4, 5]
    for eight in find_ladders(load("temperature-sums").arms):
        assert [rung.size for rung in eight.rungs] == [0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2]
    for cast in filter(None, (arm.settings["cast"] for arm in load("fidelity-agents-sums").arms)):
        spread = [pytest.approx(1.2 * k / (len(cast) - 1), abs=0.006) for k in range(len(cast))]
        assert [agent["temperature"] for agent in cast] == spread
