"""Calibration of confidences: found where it is planted, and not where it is not."""

import pytest

from support.recorded import analyse_sums


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
    arm = {"protocol": "society-of-minds", "rounds": 2, "confidence": "percent"}
    report = analyse_sums(tmp_path, "calibration", f"simulated/x?{knobs}", [arm], {"n": 50})
    assert any("stated" in each and said in each for each in report.findings)
    emboldened = any("stated" in e and "raises confidence" in e for e in report.findings)
    assert emboldened == ("emboldened" in knobs)
