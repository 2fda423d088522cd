"""What a run is expected to take is what it takes, within 15 %, and shared calls count once."""

import pytest

import moot
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.rehearsal import estimate_run
from moot.studies.stand_in import ReplyLength, StandIn, count_tokens, shorten
from moot.studies.study_file import load
from support.stored import read_debates, read_spent, read_states

PEOPLE = "simulated/people?accuracy=0.6"


async def estimated(study, tmp_path, *, limit=None, models=()):
    async with open_lab(tmp_path) as lab:
        lab.use_models(models)
        return await estimate_run(Plan(study, limit=limit), lab)


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("demo", None),
        ("networks-sums", 6),
        pytest.param("table3-few-shot-sums", 20, marks=pytest.mark.soak),
        ("essays-own", 4),
    ],
)
@pytest.mark.parametrize("accuracy", [0.3, 0.8])
async def test_it_is_what_a_shipped_study_takes(tmp_path, name, limit, accuracy):
    study = load(name, model=f"simulated/people?accuracy={accuracy}")
    known = await estimated(study, tmp_path / "before", limit=limit)
    expected = known.expected
    outcome = await moot.run(study, store=tmp_path / "store", limit=limit)
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        run = lab.store.find_run(outcome.run).id
        spent, values = lab.store.sum_spent(run), list(lab.store.values(run))
    assert expected.calls == pytest.approx(spent.calls, rel=0.15)
    assert expected.tokens == pytest.approx(spent.tokens, rel=0.15)
    assert expected.calls <= known.calls
    own = sum(arm.calls - arm.shared for arm in expected.arms)
    assert own == pytest.approx(expected.calls, abs=len(expected.arms))
    for arm in expected.arms:
        used = sum(each.values["calls"] for each in values if each.arm == arm.arm)
        assert arm.calls == pytest.approx(used, rel=0.4)
        assert used <= arm.most.calls


def shared(model=PEOPLE, **more):
    single = {"protocol": "single", "max_tokens": 50}
    vote = {"protocol": "self-consistency", "samples": 5, "max_tokens": 50}
    settings = {"settings": {"model": model, "style": "simple"}}
    parts = {"name": "s", "datasets": [{"name": "arithmetic", "n": 12}], "arms": [single, vote]}
    return load(parts | settings | more)


async def test_calls_that_arms_share_are_counted_once_and_cost_what_is_stated(tmp_path):
    expected = (await estimated(shared(), tmp_path)).expected
    assert [(arm.calls, arm.shared) for arm in expected.arms] == [(12, 0), (60, 12)]
    assert (expected.calls, expected.shared) == (60, 12)
    both = (await estimated(shared(replicates=2), tmp_path)).expected
    assert (both.calls, both.shared) == (120, 24)
    asked = []
    model = moot.Scripted(lambda call: asked.append(call) or "4", name="x")
    study = shared(model.name, prices={model.name: {"input": 1.0, "output": 2.0}})
    expected = (await estimated(study, tmp_path, models=[model])).expected
    assert (expected.calls, asked) == (60, [])  # no model is asked but a simulated one
    assert expected.pilot == ""  # max_tokens = 50: short replies need none
    assert any("in place of language models" in line for line in expected.assumes)
    assert expected.tokens / 1e6 < expected.cost < 2 * expected.tokens / 1e6
    assert expected.cost < sum(arm.cost for arm in expected.arms)
    longer = shared(model.name, arms=[{"protocol": "single", "max_tokens": 500}])
    found = (await estimated(longer, tmp_path, models=[model])).expected
    assert found.pilot.startswith("lengths unknown: ")
    assert await read_states(tmp_path) == []
    seen = []
    with pytest.raises(InputError, match="not accepted"):
        await moot.run(shared(), store=tmp_path, confirm=lambda found: bool(seen.append(found)))
    assert [(found.calls, found.expected.calls) for found in seen] == [(72, 60)]


async def test_debates_in_the_store_stand_for_rehearsed_ones(tmp_path):
    """Their replies are longer than a stand-in's; other arms of the model learn that from them."""
    long = "One two three four five. " * 100 + "Final answer: 7"
    model = moot.Scripted(lambda _: long, name="wordy")
    study = shared(model.name)
    before = (await estimated(study, tmp_path, models=[model])).expected
    await moot.run(study, store=tmp_path, limit=6, models=[model])
    after = (await estimated(study, tmp_path, models=[model])).expected
    assert [arm.recorded for arm in before.arms] == [0, 0]
    assert [arm.recorded for arm in after.arms] == [6, 6]
    paid = await read_spent(tmp_path, "s")
    assert after.calls == before.calls == 2 * paid.calls
    assert after.tokens == pytest.approx(2 * paid.tokens, rel=0.02)
    assert before.tokens < paid.tokens / 2
    vote = {"protocol": "self-consistency", "samples": 3, "max_tokens": 50}
    more = shared(model.name, name="more", arms=[{"protocol": "single", "max_tokens": 50}, vote])
    learnt = (await estimated(more, tmp_path, models=[model])).expected
    assert [arm.recorded > 0 for arm in learnt.arms] == [True, False]
    one, three = (arm.tokens / arm.calls for arm in learnt.arms)
    assert three == pytest.approx(one, rel=0.05)


async def test_a_stand_in_is_cut_off_where_a_model_would_be(tmp_path):
    assert shorten(100, 10_000) == pytest.approx(100)
    assert shorten(100, 10) == pytest.approx(10, rel=0.05)
    assert shorten(100, 100) < 100
    assert count_tokens("12 + 7 = 19, so it is 19.") == 14
    assert StandIn("x", "cot").name == "x"
    length = ReplyLength(60, 0.25, even=True)  # endless replies are as long as they may be
    assert length.mean(512) == pytest.approx(0.75 * 60 + 0.25 * 512)
    assert (length.mean(40), length.mean(None)) == (40, 60)
    # A population that is content with its own answers would never go on for a second round.
    arm = {"protocol": "consultancy", "rounds": 3}
    study = shared("scripted/x", datasets=[{"name": "arithmetic", "n": 30}], arms=[arm])
    found = await estimated(study, tmp_path, models=[moot.Scripted(["4"], name="x")])
    [arm] = found.expected.arms
    assert found.fewest * 1.2 < arm.calls < found.calls * 0.9


def sided(name, rounds=4, **settings):
    arm = {"protocol": "debate-moderated", "rounds": rounds, "opening": ["open", "put"], "put": "7"}
    settings = {"model": "scripted/judged", "style": "explained", **settings}
    data = [{"name": "arithmetic", "n": 12}]
    return load({"name": name, "settings": settings, "datasets": data, "arms": [arm]})


def stubborn(call):
    """Agents of many words before a moderator who never prefers a side."""
    if call.scene.reads_as == "ruling":
        return '{"Whether there is a preference": "No", "Supported Side": "", "Reason": ""}'
    return "One two three four five. " * 60 + "Final answer: 7"


async def test_what_a_model_does_in_each_step_is_learnt_from_other_arms(tmp_path):
    """Neither the lengths nor the ends of debates are those of the embedded model any more."""
    model = moot.Scripted(stubborn, name="judged")
    cold = (await estimated(sided("s", temperature=0), tmp_path, models=[model])).expected
    assert cold.shared <= cold.calls / 10  # other prompts get other words at any temperature
    before = (await estimated(sided("s"), tmp_path, models=[model])).expected
    assert "lengths and ends unknown: a pilot with --limit 5 makes it exact" in before.pilot
    await moot.run(sided("pilot", rounds=2), store=tmp_path, limit=5, models=[model])
    after = (await estimated(sided("s"), tmp_path, models=[model])).expected
    assert after.pilot == ""
    assert [arm.recorded for arm in after.arms] == [0, 0], "there were other rounds"
    outcome = await moot.run(sided("s"), store=tmp_path / "own", models=[model])
    values = [each.values for each in await read_debates(tmp_path / "own", outcome.run)]
    calls = sum(each["calls"] for each in values)
    tokens = sum(each["prompt-tokens"] + each["completion-tokens"] for each in values)
    assert sum(arm.calls for arm in before.arms) < calls / 2
    assert sum(arm.calls for arm in after.arms) == pytest.approx(calls, rel=0.15)
    assert sum(arm.tokens for arm in before.arms) < tokens / 2
    assert sum(arm.tokens for arm in after.arms) == pytest.approx(tokens, rel=0.15)
