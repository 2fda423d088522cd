"""``controls = true``: the arms that tell why a debate helps, each call of them paid for once."""

import pytest

import moot
from moot.core.errors import InputError
from moot.core.stored import Arm
from moot.models.scripted import Scripted
from moot.studies.controls import ANALYSES, find_control_sets
from moot.studies.study_file import load
from support.stored import read_debates
from support.sums import sums

SOCIETY = {"protocol": "society-of-minds", "name": "society"}


def study(*arms, **more):
    return sums("why", "simulated/people", 3, arms, controls=True) | more


def test_a_debate_gets_its_controls_beside_it():
    made = load(study(SOCIETY))
    names = [arm.name.removeprefix("society: ") for arm in made.arms]
    ways = ["nothing", "stances", "vacuous", "unrelated", "echo"]
    assert names == ["society", *ways, "vote of 3", "vote of 6"]
    assert [arm.settings["repeats"] for arm in made.arms[1:3]] == [True, True]
    assert made.analyses == ANALYSES
    assert load(study(SOCIETY, analyses=["rounds"])).analyses == ("rounds", *ANALYSES)
    assert load(study(SOCIETY, controls=False)).analyses == ()
    sets = find_control_sets(load(study({**SOCIETY, "agents": [3, 5]})).arms)
    assert [(each.agents, len(each.arms)) for each in sets] == [(3, 8), (5, 8)]
    old = Arm(name="old", protocol="self-consistency", settings={"samples": 3, "model": "m"})
    assert find_control_sets([old]) == []  # of a run from before some settings


def test_what_two_debates_share_is_added_once():
    long = {"protocol": "society-of-minds", "name": "long", "rounds": 3}
    made = load(study(SOCIETY, long, {"protocol": "self-consistency", "samples": 3}))
    names = {arm.name for arm in made.arms}
    assert "long: vote of 9" in names  # as many samples as its own calls
    assert "society: vote of 3" not in names  # the study has it
    assert not {"long: nothing", "long: reasons", "long: vote of 6"} & names
    alone = [arm.name for arm in load(study(long)).arms]
    assert "long: reasons" in alone  # the first revision is compared, of a debate of its own
    [found] = find_control_sets(made.arms)
    assert found.arms["reasons"].name == "society"
    assert found.arms["vote"].name == "self-consistency"
    own = {"reasons", "nothing", "stances", "vacuous", "unrelated", "echo", "vote", "samples"}
    assert set(found.arms) == own


@pytest.mark.parametrize(
    ("arm", "why"),
    [
        ({"protocol": "single"}, "its protocol is single"),
        ({**SOCIETY, "rounds": 1}, "it has one round"),
        ({**SOCIETY, "opening": "control-wrong"}, "it has an opening"),
        ({"protocol": "exposure", "shows": "echo"}, "shows is 'echo'"),
    ],
)
def test_where_no_arm_fits_the_study_is_refused(arm, why):
    with pytest.raises(InputError, match="controls = true: they fit no arm") as refused:
        load(study(arm))
    assert why in str(refused.value)
    with pytest.raises(InputError, match="there is an arm 'society: echo'; rename it"):
        load(study(SOCIETY, {"protocol": "single", "name": "society: echo"}))


async def test_the_first_round_is_shared_and_paid_once(tmp_path):
    """By the same call ids: of a society of minds, self-consistency, and every control."""

    def reply(call):
        at = f"{call.scene.agent}, {call.scene.question.id}, {call.draw}"
        return f"I am {at}.\nFinal answer: {call.draw.seat}"

    made = study(SOCIETY, settings={"model": "scripted/words"})
    outcome = await moot.run(made, store=tmp_path, models=[Scripted(reply, name="words")])
    assert outcome.failed == 0
    calls, used = {}, 0
    for row in await read_debates(tmp_path, outcome.run):
        turns = row.transcript.turns
        used += len(turns)
        begun = [turn for turn in turns if turn.round == 1 and not turn.node]
        calls.setdefault(row.question, set()).add(tuple(turn.call for turn in begun)[:3])
    assert all(len(firsts) == 1 for firsts in calls.values())
    saved = outcome.results.saved
    assert saved.calls == used == 3 * 54
    # three first answers; nothing and stances twice, four ways once; three more samples
    assert saved.paid == 3 * (3 + 2 * 2 * 3 + 4 * 3 + 3)
