"""Calibration of confidences: found where it is planted, and not where it is not."""

import asyncio

import pytest

import moot


def study(model, n=50, **arm):
    made = {"protocol": "society-of-minds", "name": "debate", "agents": 3, "rounds": 2}
    return {
        "name": "sure",
        "settings": {"model": model},
        "datasets": [{"name": "arithmetic", "n": n}],
        "arms": [made | {"confidence": "percent"} | arm],
    }


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
    asyncio.run(moot.run(study(f"simulated/x?{knobs}"), store=tmp_path))
    report = asyncio.run(moot.analyse("calibration", "sure", store=tmp_path))
    assert any("stated" in each and said in each for each in report.findings)
    emboldened = any("stated" in e and "raises confidence" in e for e in report.findings)
    assert emboldened == ("emboldened" in knobs)
