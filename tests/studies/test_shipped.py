"""The studies that come with moot: each can be planned and run, and is what its paper's was."""

import json
import re
import tomllib
from collections import Counter
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

import moot
from moot.analyses.analysis import registry as analyses
from moot.analyses.ladders import find_ladders
from moot.cli.main import moot as cli
from moot.core.errors import InputError, UnknownName
from moot.core.stored import Arm
from moot.datasets.data_files import data_folder
from moot.datasets.dataset import registry as datasets
from moot.datasets.gpqa import PASSWORD
from moot.datasets.library import add
from moot.debate.agent_config import personas_of
from moot.debate.protocol import registry as protocols
from moot.prompts.personas import name_persona
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.run_results import find_baselines
from moot.studies.sources import SHIPPED, get_shipped_study, list_shipped_studies
from moot.studies.study import load, require_files
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
LOADED = [name for name in NAMES if name not in SOCIETAL]


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


@pytest.mark.parametrize("name", NAMES)
async def test_every_shipped_study_runs(name, copied, tmp_path):
    read = study(name)
    copied({part.name for part in read.datasets})
    outcome = await moot.run(read, store=tmp_path, limit=1)
    assert outcome.done == len(read.arms) * len(read.datasets) * read.replicates
    assert (outcome.reasons, outcome.stopped) == ({}, None)


@pytest.mark.parametrize("name", LOADED)
def test_every_shipped_study_can_be_planned_by_its_name(name, copied):
    read = study(name)
    copied({part.name for part in read.datasets})
    few = ["--limit", "2", "--dry-run", "--json"]
    done = CliRunner().invoke(cli, ["run", name, "--model", PEOPLE, *few])
    assert done.exit_code == 0, done.stderr
    planned = json.loads(done.stdout)
    assert planned["run"].startswith(f"{name}-")
    assert planned["estimate"]["debates"] >= len(read.arms)


@pytest.mark.parametrize("each", list_shipped_studies(), ids=lambda each: each.name)
def test_every_shipped_study_says_what_it_asks_and_has_its_files_name(each):
    assert each.toml.startswith(f"# {each.summary}\n")
    assert 20 < len(each.summary) < 100
    assert tomllib.loads(each.toml)["name"] == each.name


def test_every_study_that_needs_files_has_another_that_needs_none():
    studies = {name: load(name, model=PEOPLE) for name in LOADED}
    needy = set()
    for name, read in studies.items():
        with suppress(InputError):
            require_files(read)
            continue
        same = name.startswith("networks") or name == "table3-mmlu"  # arms of another study
        needy.add(name.partition("-")[0] if same else name)
    assert needy == {
        "table3",
        "table3-few-shot",
        "agreement",
        "agreement-datasets",
        "transfer",
        "networks",
        "hopfield",
        "other-models",
        "prejudice-model-level",
        "fidelity-agents",
        "fidelity-rounds",
        "temperature",
        "oversight",
        "documents",
        "refinement",
        "judge-bias",
        "social-bias",
        "essays",
        "adaptive",
        "adaptive-fit",
        "adaptive-features",
    }
    twins = {name: f"{name}-sums" for name in needy}
    twins["essays"] = "essays-own"  # a sum is nothing to argue about
    twins["documents"] = "documents-own"  # a sum has no passage
    assert [twin for twin in twins.values() if twin not in studies] == []


def test_files_that_are_missing_are_all_named_at_once():
    with pytest.raises(InputError) as caught:
        require_files(load("transfer", model=PEOPLE))
    for part in (
        "medqa, pubmedqa, mmlu, cosmosqa, ciar, gpqa;",
        "moot data fetch",
        "transfer-sums",
    ):
        assert part in str(caught.value)
    with pytest.raises(InputError, match="medqa, pubmedqa, mmlu, cosmosqa, ciar, gpqa;"):
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
    *cool, pool = [arm.settings for arm in study("networks").arms]
    assert (pool["samples"], pool["temperature"]) == (4 * 64, 0.7)  # for the dearest, of 64 calls
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


def test_openings_have_the_sizes_of_the_paper():
    arms = load("prejudice-model-level").arms
    assert {(arm.protocol, arm.settings["opening"]) for arm in arms} == {
        (protocol, opening)
        for protocol in ("self-consistency", "debate-moderated", "consultancy")
        for opening in ("open", "control-right", "control-wrong")
    }
    assert {arm.settings["temperature"] for arm in arms} == {0}
    assert len({arm.settings["model"] for arm in arms}) == 4
    for name in sorted(SOCIETAL):
        if name.startswith("fidelity-society"):
            continue
        written = {
            arm["protocol"]: arm for arm in written_arms(name) if arm["protocol"] in SOCIETIES
        }
        assert set(written) == set(SOCIETIES)
        assert {arm["rounds"] for arm in written.values()} == {4}
        assert {arm.get("agents", 3) for arm in written.values()} == {3}


def test_agents_are_as_many_at_one_temperature_as_at_several():
    found = find_ladders(load("fidelity-agents-sums").arms)
    samples = [ladder for ladder in found if ladder.setting == "samples"]
    assert [(ladder.label, ladder.varied) for ladder in samples] == [
        ("temperature=0, aggregate=true", False),
        ("temperature=0.7, aggregate=true", False),
        ("temperature=0, aggregate=false", False),
        ("temperature=0.7, aggregate=false", False),
        ("varied temperature, aggregate=true", True),
    ]
    for ladder in samples:
        assert [rung.size for rung in ladder.rungs] == [2, 4, 6, 8, 10]
    casts = [arm.settings["cast"] for arm in load("fidelity-agents-sums").arms]
    for cast in filter(None, casts):
        last = len(cast) - 1
        spread = [pytest.approx(1.2 * k / last, abs=0.006) for k in range(len(cast))]
        assert [agent["temperature"] for agent in cast] == spread


def test_frameworks_are_scaled_by_agents_and_by_rounds():
    sizes = {"agents": [2, 3, 4, 5, 6], "rounds": [1, 2, 3, 4]}
    expected = {
        ("camel", "rounds"),
        *product(("langgraph", "autogen"), sizes),
    }
    arms = [
        Arm(name=name, protocol=arm["protocol"], settings={**settings, "cast": []})
        for arm in written_arms("fidelity-society-sums")
        for name, settings in spread(arm)
    ]
    found = find_ladders(arms)
    assert {(ladder.protocol, ladder.setting) for ladder in found} == expected
    for ladder in found:
        assert [rung.size for rung in ladder.rungs] == sizes[ladder.setting]


def spread(arm):
    """The agents and rounds of each arm of a grid, with a name."""
    values = {key: arm[key] for key in ("agents", "rounds") if key in arm}
    every = [each if isinstance(each, list) else [each] for each in values.values()]
    for point in product(*every):
        yield f"{arm['protocol']} {point}", dict(zip(values, point, strict=True))


async def test_a_network_has_single_replies_enough_for_its_price(tmp_path):
    read = load("networks-sums", model="simulated/people?accuracy=0.6")
    outcome = await moot.run(read, store=tmp_path, limit=10)
    networks = [arm for arm in outcome.results.arms if arm.nodes]
    assert len(networks) == 9
    assert {(each.short, each.is_equal) for arm in networks for each in arm.budget} == {(0, True)}


async def test_a_hopfield_network_ends_where_its_nodes_agree(tmp_path):
    read = load("hopfield-sums", model="simulated/people?accuracy=0.6")
    await moot.run(read, store=tmp_path, limit=10)
    async with open_lab(tmp_path, readonly=True) as lab:
        [run] = lab.store.runs()
        held = [each.transcript for each in lab.store.debates(run.id)]
    sweeps = {True: set(), False: set()}
    for each in held:
        if each.opened.protocol == "hopfield":
            verdict = each.verdict
            sweeps[verdict.by == "consensus"].add(max(node.sweep for node in each.nodes))
    assert sweeps[False] == {6}
    assert min(sweeps[True]) == 1


def test_rounds_and_temperatures_are_the_papers():
    sizes = {ladder.setting: ladder for ladder in find_ladders(load("fidelity-rounds-sums").arms)}
    assert [rung.size for rung in sizes["rounds"].rungs] == [1, 2, 3, 4, 5]
    for eight in find_ladders(load("temperature-sums").arms):
        assert [rung.size for rung in eight.rungs] == [0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2]
    merged = [arm.settings["aggregate"] for arm in load("temperature-sums").arms]
    assert Counter(merged) == {True: 7, False: 7}


@pytest.mark.parametrize(
    "name", ["prejudice-model-level-sums", "fidelity-agents-sums", "refinement-sums"]
)
def test_an_aggregator_merges_samples_as_in_the_paper_s_table_5(name):
    own = [arm for arm in load(name).arms if arm.protocol == "self-consistency"]
    merged = [arm for arm in own if arm.settings["aggregate"]]
    assert len(merged) * 2 >= len(own) > 0
    for arm in merged:
        most = protocols.get(arm.protocol).count(arm.settings)[1]
        assert most == arm.settings["samples"] + 1
        assert arm.settings["style"] == "explained"


def test_every_pairing_of_two_sides_is_in_both_seatings():
    places = [
        (one["opening"], one["speaks_first"], one["shown_first"])
        for one in (arm.settings for arm in study("judge-bias").arms)
    ]
    sides = ("affirmative", "negative")
    assert Counter(places) == Counter(
        product(("open", "control-right", "control-wrong"), sides, sides)
    )
    seats = Counter()
    for arm in study("social-bias").arms:
        told = personas_of(arm.settings, sides)
        seats[
            arm.settings["shown_first"], *(name_persona(told.get(side, "")) for side in sides)
        ] += 1
        assert (arm.settings["rounds"], arm.settings["names_side"]) == (10, True)
        assert arm.settings["style"] == "topic"
        assert arm.settings["sides_as"] == ("persona" if told else "label")
    pairs = (
        *(("left", "right"), ("female", "male"), ("blue", "green"), ("oak", "ash"), ("", "")),
        *(("neutral-left", "neutral-right"), ("arguing-female", "arguing-male")),
    )
    assert seats == Counter(
        {(first, *who) for first in sides for pair in pairs for who in (pair, pair[::-1])}
    )


@pytest.mark.parametrize("name", ["essays", "essays-own"])
def test_essays_are_those_of_table_1(name):
    own = study(name)
    assert (own.replicates, own.baseline) == (7, "essay-direct")
    assert [arm.protocol for arm in own.arms] == [
        "essay-direct",
        "essay-plan",
        "americano",
        "debate-to-write",
        "debate-to-write",
        "debate-to-write",
    ]
    assert {arm.settings["temperature"] for arm in own.arms} == {1}
    assert {arm.settings["stance"] for arm in own.arms} == {"oppose"}
    *_, ours, bare, code = [arm.settings for arm in own.arms]
    assert {each["team"] for each in (ours, bare, code)} == {3}
    assert [each["personas"] for each in (ours, bare, code)] == [True, False, True]
    assert [each["dialogue"] for each in (ours, bare, code)] == ["agents", "agents", "single"]
    assert (ours["rounds"], bare["rounds"], code["points"], code["pool"]) == (10, 10, 3, 10)


def test_other_models_are_a_list():
    own = load("other-models")
    assert len({arm.settings["model"] for arm in own.arms}) == 3
    assert len(own.arms) == 3 * (len(study("table3").arms) + 1)
    assert own.baseline == own.arms[0].name
    baselines = find_baselines(own.arms, own.baseline)
    assert Counter(baselines.values()) == dict.fromkeys(
        (arm.name for arm in own.arms[:3]), len(own.arms) // 3
    )


def test_every_analysis_that_a_shipped_study_names_is_there():
    named = {
        analysis
        for each in list_shipped_studies()
        for analysis in tomllib.loads(each.toml).get("analyses", ())
    }
    assert named
    assert named <= set(analyses.names())


def test_a_shipped_study_is_found_by_name():
    assert get_shipped_study("demo").toml.count("[[arms]]") == 4
    with pytest.raises(UnknownName, match="did you mean 'demo'"):
        get_shipped_study("dem")


PAGE = Path(__file__).parents[2] / "docs" / "studies.md"


def test_every_shipped_study_is_on_its_page():
    text = PAGE.read_text()
    assert [each.name for each in list_shipped_studies() if f"`{each.name}`" not in text] == []


def test_the_extending_study_shown_is_one():
    blocks = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    [code] = [block for block in blocks if "\nextends = " in block]
    shown = load(tomllib.loads(code))
    assert {arm.protocol for arm in shown.arms} == {"multi-persona", "society-of-minds"}
    assert len(shown.arms) == 2 * (12 + 1)
    assert [part.label for part in shown.datasets] == ["starters"]


def test_how_examples_are_shown_is_stated_where_they_are():
    told = tomllib.loads((SHIPPED / "table3-few-shot.toml").read_text(encoding="utf-8"))
    assert told["settings"]["shots_as"] == "messages"
