"""Judging again: only judges are paid for, and what a label is worth is recovered."""

from collections import Counter

import msgspec
import pytest
from msgspec.structs import replace

import moot
from moot.analyses.judge_bias import measure_judge_bias
from moot.analyses.seatings import group_by_seating
from moot.core.stored import decode_study
from moot.metrics.metric import measure
from moot.models.simulated import Simulated
from moot.parsing.ruling import SIDES
from moot.studies.asked_values import AskedValues
from moot.studies.lab import open_lab
from moot.studies.rejudging import rejudge
from moot.studies.study import load
from support.sums import sums

LABEL = SIDES


class Counted(Simulated):
    """A simulated model that counts who it is asked by."""

    def __init__(self, *args, **knobs):
        super().__init__(*args, **knobs)
        self.roles = Counter()

    async def reply(self, call):
        self.roles[call.scene.role] += 1
        return await super().reply(call)


def study(model, protocol="debate-moderated", n=8, **given):
    settings = {"model": model.name, "rounds": 3, **given}
    data = [{"name": "arithmetic", "difficulty": 2, "n": n}]
    return sums("people", "", arms=[{"protocol": protocol}], datasets=data, settings=settings)


async def judged_again(tmp_path, model, **given):
    """A run, judged again; what that came to, and every debate of the new run by arm."""
    outcome = await moot.run(study(model, **given), store=tmp_path, models=[model])
    assert outcome.reasons == {}
    model.roles.clear()
    async with open_lab(tmp_path) as lab:
        lab.use_models([model])
        done = await rejudge(lab, outcome.run)
        row = lab.store.find_run(done.run)
        arms = decode_study(row).arms
        debates = [list(lab.store.debates(row.id, arm=arm.name)) for arm in arms]
        found = measure_judge_bias(AskedValues(lab, row).read(), arms=arms, simulated=True)
    return done, debates, found


@pytest.mark.parametrize("protocol", ["debate-moderated", "multi-persona"])
async def test_only_the_judges_calls_are_made_and_paid_for(protocol, tmp_path):
    model = Counted("people")
    done, (before, after), _ = await judged_again(tmp_path, model, protocol=protocol)
    assert len(before) == len(after) == done.debates == 8
    assert not set(model.roles) & set(SIDES)
    turns = [turn for row in after for turn in row.transcript.turns]
    own = [turn for turn in turns if turn.role not in SIDES]
    assert done.calls == model.roles.total() == sum(not turn.replayed for turn in turns)
    assert all(turn.replayed for turn in turns if turn.role in SIDES)
    assert done.calls == len({turn.call for turn in own})
    for old, new in zip(before, after, strict=True):
        said = [
            [turn.text for turn in row.transcript.turns if turn.role in SIDES] for row in (old, new)
        ]
        assert said[1] == said[0][: len(said[1])]
        assert new.transcript.opened.settings["swaps_labels"]
        assert not new.failed


@pytest.mark.parametrize(("knobs", "label"), [({}, 0.0), ({"favours": "affirmative:0.6"}, 0.3)])
async def test_what_a_label_is_worth_is_recovered(knobs, label, tmp_path):
    done, _, found = await judged_again(tmp_path, Counted("people", **knobs), n=120, rounds=1)
    [effect] = [each for each in found.effects if LABEL in each.names]
    assert effect.names == (LABEL,), "told from place and content"
    assert effect.seatings == 2
    assert effect.size.low <= label <= effect.size.high
    assert (effect.p_holm < 0.01) == bool(label)
    others = [each for each in found.effects if each is not effect]
    assert all(each.p_holm > 0.01 for each in others)
    assert done.turned >= (60 if label else 0)


def write_prompts(folder, role):
    path = folder / f"{role}.toml"
    path.write_text(f'[debate-moderated.role.{role}]\ntext = "{{{{ question }}}} Argue."\n')
    return path


async def test_what_cannot_be_judged_again_is_said_before_anything_is_paid(tmp_path):
    """With other prompts than then, more than the label would differ."""
    model = Counted("people")
    prompts = write_prompts(tmp_path, "affirmative")
    minds = study(model, protocol="society-of-minds") | {"name": "minds"}
    own = study(model, temperature=0.9) | {"name": "own", "prompts": str(prompts)}
    runs = [(await moot.run(each, store=tmp_path, models=[model])).run
            for each in (minds, own, study(model))]  # fmt: skip
    model.roles.clear()
    async with open_lab(tmp_path) as lab:
        lab.use_models([model])
        for run, given, said in (
            (runs[0], {}, "no arm of it has an affirmative and a negative"),
            (runs[1], {}, "not in the ledger under the prompts of today"),
            (runs[2], {"prompts": write_prompts(tmp_path, "moderator")}, "its moderator said is"),
        ):
            with pytest.raises(moot.InputError, match=said):
                await rejudge(lab, run, **given)
        assert model.roles.total() == 0
        assert {row.key for row in lab.store.runs()} == set(runs), "none was begun"
        assert (await rejudge(lab, runs[1], prompts=prompts)).calls > 0


@pytest.mark.parametrize("by_file", [False, True], ids=["with its prompts", "with its study"])
async def test_an_arm_with_a_style_of_its_own_is_judged_again(by_file, tmp_path):
    model = Counted("people")
    prompts = tmp_path / "own.toml"
    prompts.write_text("[style.terse]\nnew = true\ntext = '{{ question }} Be terse. {{ form }}'\n")
    raw = study(model, n=2, style="terse") | {"prompts": str(prompts)}
    outcome = await moot.run(raw, store=tmp_path, models=[model])
    given = {"study": load(raw)} if by_file else {"prompts": prompts}
    async with open_lab(tmp_path) as lab:
        lab.use_models([model])
        done = await rejudge(lab, outcome.run, **given)
        again = await rejudge(lab, outcome.run, **given)
    assert (done.debates, done.failed) == (2, 0)
    assert (again.run, again.calls, again.turned) == (done.run, 0, done.turned)  # paid for once


async def test_arms_of_an_older_moot_stand_beside_their_twins(tmp_path):
    model = Simulated("judge", accuracy=0.5, favours="affirmative:0.6")
    await moot.run(study(model), store=tmp_path, models=[model])
    async with open_lab(tmp_path) as lab:
        lab.use_models([model])
        [row] = lab.store.runs()
        [arm] = decode_study(row).arms
        for name in ("put", "squares", "shots_as", "effort", "sides_as", "swaps_labels"):
            del arm.settings[name]
        old = lab.store.begin_run(
            "old", "old", msgspec.json.encode(replace(decode_study(row), arms=(arm,)))
        )
        for each in list(lab.store.debates(row.id)):
            place = (each.arm, each.dataset, each.question, each.replicate)
            await lab.store.save_debate(old.id, *place, each.transcript, measure(each.transcript))
        done = await rejudge(lab, "old")
        arms = decode_study(lab.store.find_run(done.run)).arms
    assert (len(arms), len(group_by_seating(arms))) == (2, 1)
