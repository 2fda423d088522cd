"""Steps that steer a debate are in the ledger, for that debate alone."""

from moot.debate.steering import Steering
from moot.studies.lab import open_lab
from moot.studies.steering_record import load_steps, record_step


async def test_steps_are_read_in_the_order_in_which_they_were_recorded(tmp_path):
    steering = Steering()
    steps = [steering.remark("Think of the night shift. ✓"), steering.extend(), steering.decide()]
    async with open_lab(tmp_path) as lab:
        for number, step in enumerate(steps):
            await record_step(lab.store, "ask-1", 2, number, step)
        await record_step(lab.store, "ask-1", 2, 0, steering.decide())  # it has one already
    async with open_lab(tmp_path) as lab:
        assert await load_steps(lab.store, "ask-1", 2) == steps
        assert await load_steps(lab.store, "ask-1", 1) == []
        assert await load_steps(lab.store, "ask-2", 2) == []
