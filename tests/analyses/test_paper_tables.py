"""The MAD paper's tables, whose figures are recounted elsewhere: what is unknown is named."""

import pytest

import moot


async def test_an_unknown_metric_is_named(tmp_path):
    study = {"name": "one", "datasets": [{"name": "arithmetic", "n": 1}]}
    study |= {"settings": {"model": "simulated/a"}, "arms": [{"protocol": "single"}]}
    await moot.run(study, store=tmp_path)
    with pytest.raises(moot.UnknownName, match="metric: unknown metric 'acuracy'"):
        await moot.analyse("debate-metrics", "one", store=tmp_path, metric=["acuracy"])
