"""The studies of papers: whose model speaks, how many questions there are, which are needed."""

import pytest

from moot import InputError
from moot.contrib.papers.paper_studies import Wanted, list_needed, plan_paper
from moot.contrib.papers.published import read_paper
from moot.debate.protocol import registry as protocols
from moot.studies.study_file import load

MODEL = "simulated/people?accuracy=0.6"


def plan(name, **wanted):
    return plan_paper(read_paper(name), Wanted(MODEL, sums=True, **wanted))


def test_one_model_speaks_in_the_place_of_all_of_the_papers():
    planned = plan("mad", scale=0.01, only=("figures 8 and 9, left",))
    assert [*planned.studies] == ["other-models"]
    assert planned.studies["other-models"].plan.study.models_that_speak == [MODEL]
    assert planned.replaced == [
        "openai/gpt-3.5-turbo",
        "openai/gpt-4",
        "together/mistralai/Mixtral-8x7B-Instruct-v0.1",
    ]


@pytest.mark.parametrize(
    ("scale", "expected"), [(0.1, (127, 50, 12, 50, 5, 45, 100)), (0.001, (2,) * 7)]
)
def test_the_scale_is_of_the_papers_questions_and_leaves_two(scale, expected):
    made = plan("mad", scale=scale, only=("table 1",)).studies["table3"]
    sizes = {part.label: part.n for part in made.plan.study.datasets}
    assert [sizes[label] for label in made.labels.values()] == [*expected]
    assert made.labels["MedQA"] == "MedQA (sums)"


def test_a_study_without_files_is_the_shipped_one_with_the_arms_of_the_paper():
    made = plan("settings").studies["protocols"].plan.study
    shipped = {arm.name: arm for arm in load("protocols", model=MODEL).arms}
    assert [shipped[arm.name] for arm in made.arms] == [*made.arms]
    assert {arm.protocol for arm in made.arms} == {
        *("single", "multi-persona-proposals", "exchange-of-thought"),
        *("chateval-scored", "agentverse"),
    }
    assert made.baseline == "single"
    assert plan("settings").stand_ins == ""


def test_only_what_a_part_needs_is_planned():
    paper = read_paper("community")
    assert list_needed(paper, ["table 2"]) == {"networks-communities"}
    assert list_needed(paper, ["section 5"]) == {"hopfield"}
    assert list_needed(paper, []) == {
        "networks",
        "networks-prompts",
        "networks-communities",
        "hopfield",
    }


def test_a_twin_stands_in_where_a_paper_has_one():
    planned = plan("write", scale=0.1)
    assert planned.studies["essays"].plan.study.name == "essays-own"
    assert planned.stand_ins.startswith("The questions of essays-own stand in")


def test_absent_files_are_named_once_for_all_studies(monkeypatch, tmp_path):
    monkeypatch.setenv("MOOT_DATA", str(tmp_path))
    with pytest.raises(InputError) as raised:
        plan_paper(read_paper("mad"), Wanted(MODEL))
    told = str(raised.value)
    assert told.count("medqa") == 2  # and pubmedqa
    assert "moot data fetch --study " in told


def test_a_study_can_be_left_out_and_is_named():
    planned = plan("community", scale=0.1, without=("hopfield",))
    assert "hopfield" not in planned.studies
    assert planned.absent == {"hopfield": "by --without"}


@pytest.mark.parametrize("source", ["paper", "code"])
@pytest.mark.parametrize("name", ["mad", "apf", "community", "settings", "write"])
def test_methods_follow_a_source_as_far_as_they_have_it(name, source):
    own = plan(name)
    followed = plan(name, faithful=source)
    assert not own.followed
    for study, each in followed.studies.items():
        arms = {arm.name: arm for arm in each.plan.study.arms}
        assert arms.keys() == {arm.name for arm in own.studies[study].plan.study.arms}
        for arm in arms.values():
            sources = protocols.get(arm.protocol).sources
            if sources:
                wanted = source if source in sources else None
                assert arm.settings.get("faithful") == wanted, arm.name
                assert any(f"{arm.name} " in told or "more)" in told for told in followed.followed)
