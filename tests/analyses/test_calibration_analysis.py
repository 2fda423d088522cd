"""Calibration of confidences: found where it is planted, and not where it is not."""

import asyncio

import pytest

import moot
from moot.analyses.confident_debates import FIRST, LAST, VERDICT, gather_confidences
from moot.analyses.recorded_runs import RecordedRuns
from moot.models.scripted import Scripted
from moot.studies.lab import open_lab


def study(model, n=50, **arm):
    made = {"protocol": "society-of-minds", "name": "debate", "agents": 3, "rounds": 2}
    return {
        "name": "sure",
        "settings": {"model": model},
        "datasets": [{"name": "arithmetic", "n": n}],
        "arms": [made | {"confidence": "percent"} | arm],
    }


def analyse(store, made, models=()):
    asyncio.run(moot.run(made, store=store, models=list(models)))
    report = asyncio.run(moot.analyse("calibration", "sure", store=store))

    async def gather():
        async with open_lab(store, readonly=True) as lab:
            return gather_confidences(RecordedRuns(lab, ["sure"]))

    return report._replace(data=asyncio.run(gather()))


def find(report, stage, source="stated", seat=""):
    [own] = [g for g in report.data if (g.stage, g.source, g.seat) == (stage, source, seat)]
    return own


@pytest.mark.parametrize(
    ("knobs", "said"),
    [
        ("accuracy=0.6", "no miscalibration on the whole is shown"),
        ("accuracy=0.4&miscalibration=0.8", "stated, last round: overconfident"),
        ("guessed=1", "not shown to separate"),
        ("accuracy=0.6&emboldened=0.7", "raises confidence"),
    ],
)
def test_what_is_planted_is_found_and_a_calibrated_population_called_so(tmp_path, knobs, said):
    report = analyse(tmp_path, study(f"simulated/x?{knobs}"))
    assert any("stated" in each and said in each for each in report.findings)
    emboldened = any("stated" in e and "raises confidence" in e for e in report.findings)
    assert emboldened == ("emboldened" in knobs)


def test_sources_stages_and_agents_by_hand(tmp_path):
    def script(call):
        scene = call.scene
        right = scene.question.answer
        answer, sure = {
            ("mind-1", 1): (right, "90%"),
            ("mind-2", 1): ("999999", "60%"),
            ("mind-3", 1): (right, ""),
            ("mind-1", 2): (right, "100%"),
            ("mind-2", 2): ("999999", "80%"),
            ("mind-3", 2): (right, "50%"),
        }[scene.agent, scene.round]
        return f"Final answer: {answer}" + (f"\nConfidence: {sure}" if sure else "")

    model = Scripted(script, name="hand")
    report = analyse(tmp_path, study("scripted/hand", n=4), [model])
    first, last, verdict = (find(report, stage) for stage in (FIRST, LAST, VERDICT))
    assert (first.asked, len(first.answers)) == (12, 8)
    assert {(each.confidence, each.right) for each in first.answers} == {(0.9, True), (0.6, False)}
    assert {each.confidence for each in verdict.answers} == {0.75}
    assert (verdict.split, verdict.escalated) == (4, 4)
    agreed = find(report, LAST, "agreement").answers
    assert sorted({each.confidence for each in agreed}) == pytest.approx([1 / 3, 2 / 3])
    assert [e.confidence for e in find(report, LAST, seat="mind-2").answers] == [0.8] * 4
    assert len(last.answers) == 12
    assert any("4 of 12 without" not in each for each in report.findings)
    assert any("The smallest group has 4 questions" in note for note in report.notes)
    [stated] = [chart for chart in report.charts if "stated" in chart.name]
    dots = [row for row in stated.rows if row["answers"] == FIRST]
    assert [(row["confidence"], row["accuracy"], row["n"]) for row in dots] == [
        (pytest.approx(0.6), 0.0, 4),
        (pytest.approx(0.9), 1.0, 4),
    ]
