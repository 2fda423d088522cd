"""Thresholds of gates: fitted where the signal tells, refused where it does not, kept in a file."""

import msgspec
import pytest

import moot
from moot.contrib.tuning.fitting_run import fit_gate
from moot.contrib.tuning.threshold_fit import GatedDebate, fit_threshold
from moot.contrib.tuning.tuning_run import tune
from moot.core.errors import InputError
from moot.debate.protocol import registry
from moot.studies.fitted import fill_fitted
from moot.studies.fitted_file import load_fitted
from support.stored import read_debates
from support.sums import sums

TELLS = "simulated/tells?accuracy=0.8&concentration=0.3&truth_drift=0.5"
SUMS = {"name": "arithmetic", "difficulty": 4, "seed": 3}
TELLS_NOT = f"{TELLS}&guessed=1"


@pytest.fixture(scope="module")
async def written(tmp_path_factory):
    """A file fitted on 360 of 600 sums, and the result of the fit."""
    folder = tmp_path_factory.mktemp("gate")
    return folder / "gate.json", await fit_gate(study(folder, TELLS), store=folder / "store")


def debates(*rows):
    """Debates of (times, signal, first right, last right); 1 token of 10 in the first round."""
    found = []
    for times, signal, first, last in rows:
        found += [
            GatedDebate((f"q{len(found) + place}", 0), signal, bool(first), bool(last), 1, 10)
            for place in range(times)
        ]
    return found


def test_the_cheapest_threshold_that_costs_no_accuracy_is_chosen():
    rows = ((500, 0.9, 1, 1), (300, 0.7, 1, 1), (200, 0.5, 0, 1), (60, 0.4, 0, 0))
    fit = fit_threshold(debates(*rows), "confidence", 0.01)
    assert fit.chosen.threshold == 0.5
    assert fit.chosen.accepted == pytest.approx(800 / 1060)
    assert fit.chosen.share == pytest.approx((800 + 260 * 10) / 10600)
    assert fit.chosen.difference.mean == 0
    assert (fit.n, fit.right, fit.unread) == (1060, 800, 0)
    assert fit.auroc.mean == 1.0
    rows = debates((600, 0.9, 1, 1), (100, 0.2, 0, 1), (300, None, 1, 1))
    fit = fit_threshold(rows, "confidence", 0.01)  # a signal that cannot be read always debates
    assert (fit.n, fit.right, fit.unread) == (1000, 600, 300)
    assert (fit.chosen.threshold, fit.chosen.accepted) == (0.2, 0.6)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (((500, 0.9, 1, 1), (49, 0.1, 0, 1)), "500 are right and 49 wrong; a fit needs 50"),
        (((300, 0.5, 1, 1), (300, 0.5, 0, 1)), "does not tell right first rounds from wrong"),
        (((300, 0.1, 1, 1), (300, 0.9, 0, 1)), "is higher where the first round is wrong"),
        (((60, 0.9, 1, 1), (60, 0.1, 0, 1)), "with no threshold is it shown on 120 debates"),
    ],
)
def test_a_fit_is_refused_with_the_reason(rows, why):
    fit = fit_threshold(debates(*rows), "confidence", 0.01)
    assert fit.chosen is None
    assert fit.why.startswith("refused: ")
    assert why in fit.why


def study(tmp_path, model, **more):
    """A study of sums that fits a confidence gate on 360 of 600."""
    gate = {"protocol": "confidence-gate", "fit": str(tmp_path / "gate.json")}
    gate |= {"development": 0.6, "margin": 0.03, **more}
    about = {"settings": {"model": model, "agents": 3, "rounds": 2}, "tune": gate}
    return {"name": "sums", "datasets": [SUMS | {"n": 600}], **about}


async def test_a_fit_writes_a_file_with_where_it_comes_from_and_tests_it_on_other_questions(
    written,
):
    gate, fitted = written
    kept = load_fitted(gate, "threshold", where="here")
    assert kept == fitted.threshold
    assert (kept.signal, kept.protocol, kept.models) == ("confidence", "confidence-gate", [TELLS])
    assert kept.runs == [fitted.run]
    assert len(kept.questions) == kept.n == 360
    assert kept.auroc.low > 0.5
    assert fitted.test.questions == 240
    assert fitted.test.share < 0.6
    assert fitted.test.difference.mean > -0.03
    again = await fit_gate(study(gate.parent, TELLS), store=gate.parent / "store")
    assert (again.threshold.digest, again.spent) == (kept.digest, fitted.spent)


async def test_where_the_signal_tells_nothing_no_file_is_written(tmp_path):
    spec = study(tmp_path, TELLS_NOT)
    spec["datasets"][0]["n"] = 450
    fitted = await fit_gate(spec, store=tmp_path / "store")
    assert (fitted.threshold, fitted.test) == (None, None)
    assert "does not tell right first rounds from wrong ones" in fitted.why
    assert not (tmp_path / "gate.json").exists()


def report(gate, *, seed=3, difficulty=4, model=TELLS, protocol="confidence-gate"):
    arms = [{"protocol": protocol, "threshold": str(gate)}]
    data = [SUMS | {"difficulty": difficulty, "n": 20, "seed": seed}]
    return sums("report", model, arms=arms, datasets=data)


async def test_a_file_is_used_on_other_questions_and_every_debate_says_so(written, tmp_path):
    gate, _ = written
    outcome = await moot.run(report(gate, difficulty=3), store=tmp_path)
    kept = load_fitted(gate, "threshold", where="here")
    rows = await read_debates(tmp_path, outcome.run)
    assert len(rows) == outcome.debates == 20
    for row in rows:
        [note] = [each for each in row.transcript.events if getattr(each, "what", "") == "gate"]
        assert note.threshold == kept.threshold
        assert note.fitted_on == f"{gate} {kept.digest}"
    other = tmp_path / "other.json"
    msgspec.structs.replace(kept, runs=["b"]).write(other)
    again = await moot.run(report(other, difficulty=3), store=tmp_path)
    assert again.run != outcome.run  # the content of a file is part of the run's key


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seed": 3}, "it was fitted on .* of these questions"),
        ({"difficulty": 3, "model": "simulated/other"}, "fitted on replies of simulated/tells"),
        ({"difficulty": 3, "protocol": "agreement-gate"}, "agreement-gate looks at agreement"),
    ],
)
async def test_a_file_that_does_not_fit_is_refused_before_any_call(written, tmp_path, change, why):
    with pytest.raises(InputError, match=why):
        await moot.run(report(written[0], **change), store=tmp_path)


@pytest.mark.parametrize("content", ["", "{}", '{"kind": "map"}', "\x00"])
def test_a_file_that_is_none_is_refused_and_a_number_in_words_is_none(tmp_path, content):
    (tmp_path / "bad.json").write_text(content, encoding="utf-8")
    protocol = registry.get("confidence-gate")
    for file, said in (
        ("bad.json", "is no file of a fitted threshold"),
        ("none.json", "moot tune writes such a file"),
    ):
        with pytest.raises(InputError, match=said):
            fill_fitted(file, protocol, tmp_path, where="here")
    assert fill_fitted("0.8", protocol, None, where="") == {}
    assert protocol.check({"threshold": "0.8"})["threshold"] == 0.8
    with pytest.raises(InputError, match="threshold"):
        protocol.check({"threshold": "1.8"})


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"protocol": "free-mad"}, "free-mad has no threshold to fit"),
        ({"space": {"rounds": [1, 2]}}, "a threshold is fitted or a space is searched"),
        ({"baseline": {"threshold": 0.5}}, "threshold: it is what is fitted"),
        ({"margin": 2}, "margin"),
        ({"fit": "", "space": {"rounds": [1, 2]}}, "name the file of the threshold"),
    ],
)
async def test_a_fit_that_cannot_be_is_refused(tmp_path, given, why):
    with pytest.raises(InputError, match=why):
        await fit_gate(study(tmp_path, TELLS, **given), store=tmp_path)
    with pytest.raises(InputError, match="a threshold is fitted by fit_gate"):
        await tune(study(tmp_path, TELLS), store=tmp_path)
