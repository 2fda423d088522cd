"""The MAD paper's tables: known figures of small runs, in the paper's form."""

import asyncio

import pytest

import moot

SUMS = {"name": "arithmetic", "n": 4}


def analyse(tmp_path, name, study, models=(), **options):
    asyncio.run(moot.run(study, store=tmp_path, models=models))
    return asyncio.run(moot.analyse(name, study["name"], store=tmp_path, **options))


def test_the_best_of_a_protocol_is_told_for_each_model_and_an_unknown_metric_named(tmp_path):
    models = ["simulated/good?accuracy=0.9", "simulated/poor?accuracy=0.1"]
    arms = [{"protocol": "single", "temperature": [0.1, 0.2]}]
    study = {"name": "models", "settings": {"model": models}, "datasets": [SUMS], "arms": arms}
    [table] = analyse(tmp_path, "best-by-protocol", study).tables
    assert [row.cells[:3] for row in table.rows] == [["single", model, 2] for model in models]
    with pytest.raises(moot.UnknownName, match="metric: unknown metric 'acuracy'"):
        analyse(tmp_path, "debate-metrics", study, metric=["acuracy"])
