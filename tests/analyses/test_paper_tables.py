"""The MAD paper's tables: known figures of small runs, in the paper's form."""

import asyncio

import pytest

import moot

SUMS = {"name": "arithmetic", "n": 4}
ARMS = [
    {"protocol": "single", "style": ["simple", "cot"]},
    {"protocol": "society-of-minds", "agents": 2, "rounds": [1, 2]},
]


def says(call):
    """Answer rightly once another was read who answered wrongly."""
    read = any("Final answer: 0.5" in message.content for message in call.messages)
    return f"Final answer: {call.scene.question.answer if read else 0.5}"


def analyse(tmp_path, name, study, models=(), **options):
    asyncio.run(moot.run(study, store=tmp_path, models=models))
    return asyncio.run(moot.analyse(name, study["name"], store=tmp_path, **options))


def test_configurations_stand_by_protocol_with_accuracy_and_total(tmp_path):
    datasets = [SUMS | {"label": "one"}, SUMS | {"label": "two"}]
    study = {"name": "both", "settings": {"model": "scripted/late"}, "datasets": datasets}
    late = moot.Scripted(says, name="late")
    report = analyse(tmp_path, "configurations", study | {"arms": ARMS}, [late])
    [table] = report.tables
    assert [column.group for column in table.columns] == ["", "", "one", "one", "two", "two"]
    rows = {(row.band, row.cells[0], row.cells[1]): row.cells[2:] for row in table.rows}
    shown = {key: (cells[0].value.mean, cells[0].mark) for key, cells in rows.items()}
    assert shown == {
        ("single", "simple", ""): (0.0, ""),
        ("single", "cot", ""): (0.0, ""),
        ("society-of-minds", "cot", "rounds=1"): (0.0, ""),
        ("society-of-minds", "cot", "rounds=2"): (1.0, "*"),
    }
    totals = [rows["society-of-minds", "cot", f"rounds={k}"][1] for k in (1, 2)]
    assert 0 < totals[0] < totals[1]
    assert report.findings[0].startswith("Open: ")
    assert report.findings[0].endswith("; add equal_budget = true to the study.")


def test_the_best_of_a_protocol_is_told_for_each_model_and_an_unknown_metric_named(tmp_path):
    models = ["simulated/good?accuracy=0.9", "simulated/poor?accuracy=0.1"]
    arms = [{"protocol": "single", "temperature": [0.1, 0.2]}]
    study = {"name": "models", "settings": {"model": models}, "datasets": [SUMS], "arms": arms}
    [table] = analyse(tmp_path, "best-by-protocol", study).tables
    assert [row.cells[:3] for row in table.rows] == [["single", model, 2] for model in models]
    with pytest.raises(moot.UnknownName, match="metric: unknown metric 'acuracy'"):
        analyse(tmp_path, "debate-metrics", study, metric=["acuracy"])
