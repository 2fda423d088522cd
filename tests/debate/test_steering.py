"""Steps that steer a debate are in the ledger, for that debate alone."""

from moot.debate.steering import Steering
from moot.studies.ask import ask
from moot.studies.lab import open_lab
from moot.studies.question_plan import plan_question


async def test_ask_goes_on_with_the_recorded_steps(tmp_path):
    settings = {"model": "simulated/a", "agents": 2, "rounds": 1}
    plan = plan_question("2 + 2?", protocol="society-of-minds", settings=settings)
    async with open_lab(tmp_path) as lab:
        steering = Steering()
        await steering.record(lab.store, plan.key, 0, "remark", "Count again.")
        await steering.record(lab.store, plan.key, 0, "extend")
        await Steering().record(lab.store, plan.key, 0, "decide")  # it has a first step already

    async def go_on(**more):
        given = {"protocol": "society-of-minds", **settings, "store": tmp_path, **more}
        return (await ask("2 + 2?", **given)).transcript

    steered = await go_on()
    assert [note.what for note in steered.notes] == ["remark", "extend"]
    assert max(turn.round for turn in steered.turns) == 2
    assert (await go_on(steering=Steering())).notes == ()  # what is given counts
    assert (await go_on(seed=1)).notes == ()  # another debate
