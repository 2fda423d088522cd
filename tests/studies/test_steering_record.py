"""Steps that steer a debate are in the ledger, for that debate alone."""

from moot.debate.steering import Steering
from moot.studies.ask import ask
from moot.studies.lab import open_lab
from moot.studies.question_plan import plan_question
from moot.studies.steering_record import record_step


async def test_ask_goes_on_with_the_recorded_steps(tmp_path):
    settings = {"model": "simulated/a", "agents": 2, "rounds": 1}
    plan = plan_question("2 + 2?", protocol="society-of-minds", settings=settings)
    steering = Steering()
    steps = [steering.remark("Count again."), steering.extend()]
    async with open_lab(tmp_path) as lab:
        for number, step in enumerate(steps):
            await record_step(lab.store, plan.key, 0, number, step)
        await record_step(lab.store, plan.key, 0, 0, steering.decide())  # it has one already

    async def go_on(**more):
        given = {"protocol": "society-of-minds", **settings, "store": tmp_path, **more}
        return (await ask("2 + 2?", **given)).transcript

    steered = await go_on()
    assert [note.what for note in steered.notes] == ["remark", "extend"]
    assert max(turn.round for turn in steered.turns) == 2
    assert (await go_on(steering=Steering())).notes == ()  # what is given counts
    assert (await go_on(seed=1)).notes == ()  # another debate
