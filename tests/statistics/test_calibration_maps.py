"""Maps of confidences: statsmodels' and scipy's fits, and refusals."""

import msgspec
import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from moot.core.errors import InputError
from moot.statistics.calibration import ScoredConfidence, measure_confidence
from moot.statistics.calibration_maps import fit_map

OF = {"source": "stated", "model": "m"}


def draw(n, seed=1, shift=0.25):
    chance = np.random.default_rng(seed)
    stated = chance.choice([0.5, 0.6, 0.7, 0.8, 0.9, 0.95], n).tolist()
    return [
        ScoredConfidence(f"{seed}-{place}", sure, bool(chance.random() < sure - shift))
        for place, sure in enumerate(stated)
    ]


@pytest.mark.parametrize("kind", ["platt", "temperature"])
def test_a_logistic_map_is_that_of_statsmodels(kind):
    import statsmodels.api as sm

    answers = draw(120)
    x = np.log([each.confidence / (1 - each.confidence) for each in answers])
    rights = sum(each.right for each in answers)
    top, bottom = (rights + 1) / (rights + 2), 1 / (120 - rights + 2)
    y = [top if each.right else bottom for each in answers]
    columns = np.column_stack([x, np.ones(120)] if kind == "platt" else [x])
    known = sm.GLM(y, columns, family=sm.families.Binomial()).fit().params
    found = fit_map(kind, answers, **OF).parameters
    assert found[: len(known)] == pytest.approx(known, rel=1e-5)
    assert kind == "platt" or found[1] == 0


def test_an_isotonic_map_is_that_of_scipy():
    answers = sorted(draw(300), key=lambda each: each.confidence)
    levels = sorted({each.confidence for each in answers})
    shares = [[each.right for each in answers if each.confidence == level] for level in levels]
    known = isotonic_regression([np.mean(own) for own in shares], weights=[*map(len, shares)]).x
    found = fit_map("isotonic", answers, **OF)
    assert [found.apply(level) for level in levels] == pytest.approx(known)
    assert found.apply(1.0) == found.apply(0.95)


@pytest.mark.parametrize("kind", ["platt", "isotonic"])
def test_a_map_helps_on_questions_that_it_has_not_seen(kind):
    found, fresh = fit_map(kind, draw(400), **OF), draw(400, seed=2)
    mapped = [each._replace(confidence=found.apply(each.confidence)) for each in fresh]
    before, after = (measure_confidence("ece", each) for each in (fresh, mapped))
    assert before.low > after.mean
    assert measure_confidence("auroc", mapped).mean > 0.5


def test_the_same_answers_give_the_same_file_and_are_not_scored():
    answers = draw(250)
    one, other = (fit_map("platt", each, **OF) for each in (answers, answers))
    assert msgspec.json.encode(one) == msgspec.json.encode(other)
    questions = [each.question for each in answers]
    with pytest.raises(InputError, match="the questions that it was fitted on"):
        one.check("stated", "m", questions[::-1])
    with pytest.raises(InputError, match="fitted on model 'm', applied to 'n'"):
        one.check("stated", "n", ["else"])
    with pytest.raises(InputError, match="fitted on source 'stated', applied to 'logprobs'"):
        one.check("logprobs", "m", ["else"])
    one.check("stated", "m", ["else"])


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(InputError, match="needs right and wrong answers"):
        fit_map("platt", [each._replace(right=True) for each in draw(50)], **OF)
    with pytest.raises(InputError, match="isotonic needs 200 answers, there are 50; use platt"):
        fit_map("isotonic", draw(50), **OF)


def test_one_confidence_for_all_is_mapped_to_their_accuracy():
    answers = [each._replace(confidence=0.9) for each in draw(300)]
    accuracy = np.mean([each.right for each in answers])
    assert fit_map("platt", answers, **OF).apply(0.9) == pytest.approx(accuracy, abs=0.01)
