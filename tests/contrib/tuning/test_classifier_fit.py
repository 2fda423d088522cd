"""Classifiers of feature gates: fitted where replies tell, refused where they do not."""

import random

import pytest

from moot.contrib.tuning.classifier_fit import fit_classifier
from moot.contrib.tuning.fitting_run import fit_gate
from moot.contrib.tuning.threshold_fit import GatedDebate
from moot.debate.reply_features import NAMES, estimate_probability
from moot.studies.fitted_file import FittedClassifier, load_fitted

TELLS = "simulated/tells?accuracy=0.75&concentration=0.5&truth_drift=0.5"


def debates(n=600, *, tells=2.0, seed=0, shuffled=False):
    """Debates whose first reply is right more probably, the higher its chance is."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        chance = rng.random()
        values = dict.fromkeys(NAMES, 0.0) | {"chance": chance, "hedges": rng.random()}
        rows.append((values, rng.random() < 0.5 + tells * (chance - 0.5) / 2.2))
    rights = [right for _, right in rows]
    if shuffled:
        rng.shuffle(rights)
    return [
        GatedDebate((f"q{place}", 0), None, right, last=True, spent=1, total=10, features=values)
        for place, ((values, _), right) in enumerate(zip(rows, rights, strict=True))
    ]


def test_a_classifier_is_fitted_on_some_questions_and_measured_on_others():
    fit = fit_classifier(debates(), 0.7)
    assert fit.auroc.low > 0.5
    assert fit.auroc.n == fit.classifier.apart == 200
    assert fit.classifier.fitted == 400
    weights = fit.classifier.weights
    assert weights["chance"] > 3 > abs(weights["hedges"])
    assert 0.05 < fit.chosen.accepted < 0.6
    assert fit.chosen.threshold == 0.7
    few = debates(120)
    wrong = [each for each in few if not each.first][:49]
    fit = fit_classifier([each for each in few if each.first] + wrong, 0.7)
    assert fit.chosen is None
    assert "49 wrong; a fit needs 50 of each" in fit.why


@pytest.mark.soak
def test_shuffled_labels_are_refused():
    refused = [fit_classifier(debates(seed=seed, shuffled=True), 0.7) for seed in range(20)]
    why = [fit.why for fit in refused if fit.chosen is None]
    assert len(why) >= 19  # the interval leaves out 0.5 from above in 1 of 40
    told = "tell right first rounds from wrong ones", "higher"
    assert all(any(words in each for words in told) for each in why)
    assert [fit.classifier for fit in refused].count(None) == len(why)


def test_the_probability_is_calibrated():
    fit = fit_classifier(debates(3000), 0.7)
    weights = fit.classifier.weights
    fresh = debates(3000, seed=1)
    found = [(estimate_probability(each.features, weights), each.first) for each in fresh]
    for low, high in ((0.2, 0.4), (0.4, 0.6), (0.6, 0.8)):
        own = [right for chance, right in found if low <= chance < high]
        assert low - 0.06 < sum(own) / len(own) < high + 0.06


def study(folder, model=TELLS, **tune):
    tune = {"protocol": "feature-gate", "fit": str(folder / "gate.json"), **tune}
    return {
        "name": "sums",
        "settings": {"model": model, "rounds": 1},
        "datasets": [{"name": "arithmetic", "difficulty": 4, "n": 500, "seed": 3}],
        "tune": {"development": 0.8, **tune},
    }


@pytest.fixture(scope="module")
async def gate(tmp_path_factory):
    """A file fitted on 400 sums, and the result of the fit."""
    folder = tmp_path_factory.mktemp("gate")
    return folder / "gate.json", await fit_gate(study(folder), store=folder / "store")


async def test_a_fit_writes_a_file_and_tests_the_gate_on_other_questions(gate):
    file, fitted = gate
    kept = load_fitted(file, "classifier", where="here")
    assert isinstance(kept, FittedClassifier)
    assert kept == fitted.threshold
    assert (kept.signal, kept.threshold, kept.models) == ("probability", 0.7, [TELLS])
    assert kept.runs == [fitted.run]
    assert len(kept.questions) == kept.n == 400
    assert fitted.test.questions == 100
    assert fitted.test.share < 0.8
    again = await fit_gate(study(file.parent), store=file.parent / "store")
    assert (again.threshold.digest, again.spent) == (kept.digest, fitted.spent)
