"""What models in this process share: a name that is their endpoint, limits, no price, a latency."""

import pytest

from moot.core.calls import Reply
from moot.core.ports import Limits, Model
from moot.models.model_names import load


@pytest.mark.parametrize(
    "name", ["scripted?reply=4", "simulated/people", "local/smollm2?parallel=3"]
)
async def test_it_has_limits_of_its_own_and_costs_nothing(name):
    model = load(name)
    assert isinstance(model, Model)
    assert model.endpoint == model.name
    assert isinstance(model.limits, Limits)
    assert model.limits.concurrency == (3 if "parallel" in name else 1024)
    assert model.cost(Reply(text="4", prompt_tokens=9, completion_tokens=9)) == 0
    assert model.simulated == (not name.startswith("local"))
    await model.close()
