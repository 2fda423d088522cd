"""Tuning finds what is there, on questions of its own, within a budget, and for nothing again."""

import dataclasses
import random
import sqlite3
import tomllib

import pytest
from msgspec.structs import replace

from moot.contrib.tuning.tuning_file import load
from moot.contrib.tuning.tuning_run import tune
from moot.core.errors import InputError, RefusedError
from moot.studies.study_file import load as load_study
from support.commands import BEST, knows, planted, study
from support.stored import read_debates


def replies(store):
    with sqlite3.connect(store / "moot.db") as connection:
        return connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0]


async def test_a_planted_optimum_is_found_and_holds_on_questions_not_searched_on(tmp_path):
    space = {"temperature": {"low": 0.0, "high": 2.0}, "style": ["cot", "simple"]}
    of = study(space=space, trials=25, tune={"seed": 4})
    found = await tune(of, store=tmp_path, models=[planted()])
    assert abs(found.best.settings["temperature"] - BEST) < 0.1
    near = [abs(trial.settings["temperature"] - BEST) < 0.4 for trial in found.trials[1:]]
    assert sum(near[10:]) / 15 > 2 * sum(near[:10]) / 10  # the first ten are drawn at random
    assert (len(found.trials), found.trials[0].arm) == (26, "untuned")
    assert found.stopped is None
    assert found.simulated
    test = found.test
    assert (found.development, test.questions) == (40, 40)
    assert test.difference.low > 0
    assert test.difference.p < 0.001
    assert test.tuned.mean - test.untuned.mean == pytest.approx(test.difference.mean)
    gain = found.best.accuracy - found.trials[0].accuracy
    assert test.optimism == pytest.approx(gain - test.difference.mean)
    assert [arm.arm for arm in test.results.arms] == ["untuned", "tuned"]


async def test_no_held_out_question_is_asked_in_the_search(tmp_path):
    order = {}

    def watched(call):
        order.setdefault(call.scene.question.id)
        return knows(call)

    found = await tune(study(trials=4), store=tmp_path, models=[planted(watched)])
    debates = [await read_debates(tmp_path, run) for run in (found.run, found.test.run)]
    searched, tested = ({row.question for row in rows} for rows in debates)
    assert (len(searched), len(tested)) == (40, 40)
    assert not searched & tested
    assert {*[*order][:40]} == searched
    with sqlite3.connect(tmp_path / "moot.db") as connection:
        rows = connection.execute(
            "SELECT DISTINCT runs.key, CAST(request AS TEXT) FROM replies "
            "JOIN runs ON runs.id = replies.run"
        ).fetchall()
    texts = {row.transcript.question.text for row in debates[1]}
    assert len(texts) == 40
    told = {key for key, request in rows if any(text in request for text in texts)}
    assert told == {found.test.run}


async def test_the_same_search_again_is_free_and_more_trials_go_on_with_it(tmp_path):
    first = await tune(study(), store=tmp_path, models=[planted()], trials=4)
    paid = replies(tmp_path)

    def never(call):
        raise AssertionError(call)

    again = await tune(study(), store=tmp_path, models=[planted(never)], trials=4)
    assert (again.trials, again.best, again.spent) == (first.trials, first.best, first.spent)
    assert again.test.difference == first.test.difference
    more = await tune(study(), store=tmp_path, models=[planted()], trials=6)
    assert (more.run, more.trials[:5]) == (first.run, first.trials)
    assert more.spent.calls == replies(tmp_path) > paid
    assert more.test.before == (more.best != first.best)


async def test_a_small_space_is_gone_through_whole(tmp_path):
    space = {"temperature": [0.5, 0.8, 1.5], "style": ["cot", "simple"]}
    found = await tune(study(space=space), store=tmp_path, models=[planted()])
    assert [tuple(trial.settings.values()) for trial in found.trials[1:]] == [
        (at, style) for at in (0.5, 0.8, 1.5) for style in ("cot", "simple")
    ]
    assert found.best.settings["temperature"] == 0.8
    pruned = [trial for trial in found.trials if trial.state == "pruned"]
    assert {trial.settings["temperature"] for trial in pruned} == {1.5}
    assert all(trial.debates < 40 for trial in pruned)
    arms = tomllib.loads(found.arm)["arms"]  # an arm ready for a study
    again = load_study({"name": "again", "datasets": [{"name": "arithmetic"}], "arms": arms})
    [row, *_] = await read_debates(tmp_path, found.run, arm=found.best.arm)
    assert again.arms[0].settings == row.transcript.opened.settings
    table = {"baseline": {"temperature": BEST}}  # where nothing is better, the baseline stands
    worse = study(40, {"temperature": [1.5, 1.7]}, tune=table)
    found = await tune(worse, store=tmp_path, models=[planted()])
    assert (found.best.arm, found.test.difference) == ("untuned", None)
    assert found.test.tuned == found.test.untuned
    assert tomllib.loads(found.arm)["arms"][0]["temperature"] == BEST


async def test_a_price_makes_the_cheaper_the_better(tmp_path):
    """The second round is worth a call of 0.2, the third is not."""

    def learns(call):
        chance = random.Random(call.scene.question.id).random()
        right = chance < (0.3, 0.7, 0.8)[call.scene.round - 1]
        return f"Final answer: {call.scene.question.answer if right else 12345}"

    table = {"protocol": "society-of-minds", "prune": False, "baseline": {"rounds": 1}}
    settings = {"model": "scripted/planted", "agents": 1}
    of = study(80, {"rounds": {"low": 1, "high": 3}}, tune=table, settings=settings)
    free = await tune(of, store=tmp_path, models=[planted(learns)])
    assert free.best.settings == {"rounds": 3}
    of["tune"]["price"] = {"calls": 0.2}
    dear = await tune(of, store=tmp_path, models=[planted(learns)])
    assert dear.best.settings == {"rounds": 2}
    assert dear.best.value == pytest.approx(dear.best.accuracy - 0.4)
    assert [trial.accuracy for trial in dear.trials] == [trial.accuracy for trial in free.trials]


async def test_a_budget_leaves_the_test_its_part_and_a_greater_one_goes_on(tmp_path):
    capped = study(budget={"calls": 200})
    found = await tune(capped, store=tmp_path, models=[planted()])
    assert "budget is reached" in found.stopped
    assert (found.trials[-1].state, found.best.state) == ("unfinished", "done")
    assert found.test.questions == 40
    assert found.spent.calls == replies(tmp_path) == 120 + 80
    again = await tune(capped, store=tmp_path, models=[planted()])
    assert (again.trials, again.spent) == (found.trials, found.spent)
    capped["budget"] = {"calls": 700}
    more = await tune(capped, store=tmp_path, models=[planted()])
    assert more.stopped is None
    assert more.trials[: len(found.trials) - 1] == found.trials[:-1]


async def test_a_trial_that_fails_is_no_value_and_the_search_goes_on(tmp_path):
    def refuses(call):
        if call.sampling.temperature > 1:
            return RefusedError("this temperature is too high")
        return knows(call)

    space = {"temperature": [1.2, 0.8, 0.4]}
    found = await tune(study(40, space), store=tmp_path, models=[planted(refuses)])
    states = [(trial.settings.get("temperature"), trial.state) for trial in found.trials]
    assert states[:3] == [(None, "done"), (1.2, "failed"), (0.8, "done")]
    assert "too high" in found.trials[1].reason
    assert found.trials[1].value is None
    assert found.best.settings == {"temperature": 0.8}
    dead = planted(lambda _call: RefusedError("no such key"))  # it answers nobody
    found = await tune(study(40), store=tmp_path / "dead", models=[dead])
    assert [trial.state for trial in found.trials] == ["failed"] * 4
    assert "no such key" in found.stopped
    assert (found.best, found.arm, found.test) == (None, None, None)


@pytest.mark.parametrize(("cap", "most"), [({"tokens": 29_000}, 29_000), ({"cost": 29.0}, 29.0)])
async def test_tokens_and_money_are_capped_too(tmp_path, cap, most):
    prices = {"scripted/planted": {"input": 1000, "output": 1000}}
    found = await tune(study(budget=cap, prices=prices), store=tmp_path, models=[planted()])
    assert "budget is reached" in found.stopped
    assert found.test.questions == 40
    assert 0 < getattr(found.spent, next(iter(cap))) <= most


AWAY = {"model": "http://127.0.0.1:9/v1/nobody"}


@pytest.mark.parametrize(
    ("given", "how", "said"),
    [
        ({"budget": {"calls": 80}}, {}, r"budget: calls = 80: the test on 40 .* may take 80"),
        ({"settings": AWAY}, {"max_cost": 1.0}, r"cap or a price on cost needs .* \[prices\]"),
    ],
)
async def test_what_cannot_be_is_an_error_before_any_call(tmp_path, given, how, said):
    with pytest.raises(InputError, match=said):
        await tune(study(**given), store=tmp_path, models=[planted()], **how)
    assert replies(tmp_path) == 0


async def test_settings_that_do_not_go_together_between_the_ends_fail_their_trial(tmp_path):
    def odd(settings, where):
        if settings["samples"] == 2:
            raise InputError(f"{where}: must be odd")
        return settings

    table = {"protocol": "self-consistency"}
    read = load(study(12, {"samples": {"low": 1, "high": 3}}, tune=table))
    strict = replace(read, protocol=dataclasses.replace(read.protocol, verify=odd))
    found = await tune(strict, store=tmp_path, models=[planted()])
    assert [trial.state for trial in found.trials[1:]] == ["done", "failed", "done"]
    assert found.trials[2].reason == "study: tune.space, samples=2: must be odd"
