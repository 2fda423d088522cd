"""Sensitivity: a planted change of sign is found, a null stays flat, and figures are recounted."""

import asyncio
import random

import pytest

import moot
from moot.analyses.sensitivity import group_arms
from moot.core.errors import InputError
from moot.core.stored import Arm
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.studies.lab import open_lab
from support.recounts import RecordedStudy

SUMS = {"n": 60, "difficulty": 2}
ARMS = [
    {"protocol": "consultancy", "rounds": 1, "faithful": ["ours", "paper", "code"]},
    {"protocol": "self-consistency", "samples": 3},
]
OTHER = "self-consistency"


def speaks(chances):
    """A model: a vote is right half the time, others as their prompts' source says."""

    def reply(call):
        question = call.scene.question
        text = call.messages[-1].content
        if call.scene.role == "sampler":
            chance = chances["vote"]
        elif call.scene.role == "primary":
            chance = chances["boxed" if "boxed" in text else "line"]
        else:
            return (
                '{"Do you find the final answer provided by the assistant accurate and '
                'satisfactory?": "Yes", "Reason": "", "Feedback to Assistant for modifications": '
                '"", "final_answer": ""}'
            )
        lucky = random.Random(f"{question.id} {call.scene.role}").random() < chance
        return f"Final answer: {question.answer if lucky else int(question.answer) + 1}"

    return Scripted(reply, name=f"speaks-{abs(hash(frozenset(chances.items())))}")


def analyse(store, chances, arms=ARMS, sums=SUMS, **more):
    model = speaks(chances)
    study = {"name": "held", "settings": {"model": model.name}, "arms": arms}
    study["datasets"] = [{"name": "arithmetic", **sums}]
    moot.run_sync(study, store=store, models=[model])
    return moot.analyse_sync("sensitivity", "held", store=store, against=OTHER, **more)


def test_a_planted_change_of_sign_is_found_and_said(tmp_path):
    report = analyse(tmp_path, {"vote": 0.5, "line": 0.95, "boxed": 0.05})
    [found] = report.data
    assert found.sign == "changes"
    gaps = {each.choice: each.gap for each in found.choices}
    assert gaps["ours"].low > 0.2
    assert gaps["paper"].high < -0.2
    assert gaps["code"].mean == gaps["paper"].mean  # both put the answer in a box
    assert report.findings[0].startswith(
        "consultancy on arithmetic: the sign of its gap to self-consistency changes with faithful:"
    )
    assert any("paper less ours: −" in each for each in report.findings)


def test_the_same_sign_under_all_is_said_to_be_no_change(tmp_path):
    report = analyse(tmp_path, {"vote": 0.1, "line": 0.95, "boxed": 0.9})
    [found] = report.data
    assert found.sign == "does not change"
    assert all(each.gap.low > 0 for each in found.choices)
    assert "does not change with faithful" in report.findings[0]


@pytest.mark.parametrize("chance", [0.3, 0.7])
def test_where_no_choice_matters_nothing_is_shown(chance, tmp_path):
    report = analyse(tmp_path, {"vote": chance, "line": chance, "boxed": chance})
    [found] = report.data
    assert found.sign == "not shown"
    assert all(each.change is None or each.change.mean == 0 for each in found.choices)
    assert "not shown whether the sign" in report.findings[0]
    assert "2 of 2 differences not shown." in report.findings[1]


def test_figures_are_those_of_the_transcripts_counted_anew(tmp_path):
    [found] = analyse(tmp_path, {"vote": 0.5, "line": 0.8, "boxed": 0.3}).data

    async def read():
        async with open_lab(tmp_path, readonly=True) as lab:
            return list(lab.store.debates(lab.store.find_run("held").id))

    right = {}
    for row in asyncio.run(read()):
        opened, closed = row.transcript.events[0], row.transcript.events[-1]
        own = right.setdefault(row.arm, {})
        own[row.question] = float(closed.verdict.answer == opened.question.answer)
    vote = right[OTHER]
    assert len(vote) == 60
    for each in found.choices:
        own = right[each.arm]
        assert each.accuracy.mean == pytest.approx(sum(own.values()) / 60)
        assert each.gap.mean == pytest.approx(sum(own[q] - vote[q] for q in vote) / 60)
        first = right[found.choices[0].arm]
        moved = sum(own[q] - first[q] for q in own) / 60
        assert (each.change.mean if each.change else 0) == pytest.approx(moved)


def test_any_setting_can_be_the_factor(tmp_path):
    arms = [{"protocol": "consultancy", "rounds": 1, "decides": ["consultant", "primary"]}, ARMS[1]]
    chances = {"vote": 0.5, "line": 0.9, "boxed": 0.9}
    [found] = analyse(tmp_path, chances, arms, factor="decides").data
    assert [each.choice for each in found.choices] == ["consultant", "primary"]
    with pytest.raises(InputError, match="no two methods differ in rounds alone"):
        analyse(tmp_path / "other", chances, arms, factor="rounds")


def arm(name, **given):
    settings = registry.get("multi-persona").check(given)
    return Arm(name=name, protocol="multi-persona", settings=settings)


def test_what_a_source_brings_along_is_no_difference_of_its_own_but_what_is_crossed_is():
    arms = [
        arm(f"{of} {heat}", faithful=of, temperature=heat)
        for of in ("ours", "paper", "code")
        for heat in (0.3, 0.7)
    ]
    groups = group_arms([*arms, arm("alone", rounds=2)], "faithful")
    named = [{choice: each.name for choice, each in group.items()} for group in groups]
    assert named == [
        {of: f"{of} {heat}" for of in ("ours", "paper", "code")} for heat in (0.3, 0.7)
    ]


def test_a_setting_of_the_same_value_stays_in_the_name(tmp_path):
    arms = [{"protocol": "society-of-minds", "agents": [2, 3], "rounds": [2, 3]}]
    study = {
        "name": "names",
        "settings": {"model": "simulated/people?accuracy=0.6"},
        "datasets": [{"name": "arithmetic", "n": 2}],
        "arms": arms,
    }
    found = RecordedStudy(tmp_path / "store", study).analyse("sensitivity", factor="rounds").data
    assert {each.method for each in found} == {
        "society-of-minds agents=2",
        "society-of-minds agents=3",
    }
