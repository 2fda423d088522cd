"""What models in this process share: a name that is their endpoint, limits, no price, a latency."""

import pytest

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.core.ports import Limits, Model
from moot.models.free_model import parse_latency
from moot.models.model_names import load, parse_model_name


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


def test_a_latency_is_seconds():
    assert parse_latency(parse_model_name("simulated/a?latency=0.5")) == 0.5
    assert parse_latency(parse_model_name("simulated/a")) == 0
    for name, wrong in (("scripted?reply=4", "&"), ("simulated/a", "?")):
        with pytest.raises(InputError, match="latency='soon' is no number of seconds"):
            load(f"{name}{wrong}latency=soon")
        with pytest.raises(InputError, match=r"latency -1\.0 is negative"):
            load(f"{name}{wrong}latency=-1")
