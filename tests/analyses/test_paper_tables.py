"""The MAD paper's tables: known figures of small runs, in the paper's form."""

import asyncio

import pytest

import moot

ARMS = [
    {"protocol": "single", "style": ["simple", "cot"]},
    {"protocol": "society-of-minds", "agents": 2, "rounds": [1, 2]},
    {"protocol": "multi-persona", "rounds": 2},
]


def says(call):
    """Answer rightly once another was read who answered wrongly."""
    read = any("Final answer: 5" in message.content for message in call.messages)
    return "Final answer: 4" if read else "Final answer: 5"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    (place / "own.jsonl").write_text(
        "".join(
            f'{{"id": "q{k}", "question": "What is {k} + 4 - {k}?", "answer": "4"}}\n'
            for k in range(5)
        )
    )
    datasets = [
        {"name": "file", "label": name, "path": str(place / "own.jsonl")} for name in ("one", "two")
    ]
    model = moot.Scripted(says, name="late")
    for name, chosen in (("both", datasets), ("second", datasets[1:])):
        study = {"name": name, "settings": {"model": model.name}, "datasets": chosen, "arms": ARMS}
        asyncio.run(moot.run(study, store=place, models=[model]))
    return place


def analyse(name, *runs, **options):
    report = asyncio.run(moot.analyse(name, *runs, **options))
    return report, report.tables[0]


def test_configurations_stand_by_protocol_with_accuracy_and_total(store):
    report, table = analyse("configurations", "both", store=store)
    assert [column.name for column in table.columns] == [
        "prompt",
        "configuration",
        *["accuracy %", "total tokens"] * 2,
    ]
    assert [column.group for column in table.columns] == ["", "", "one", "one", "two", "two"]
    rows = {(row.band, row.cells[0], row.cells[1]): row.cells[2:] for row in table.rows}
    assert list(rows) == [
        ("single", "simple", ""),
        ("single", "cot", ""),
        ("society-of-minds", "cot", "rounds=1"),
        ("society-of-minds", "cot", "rounds=2"),
        ("multi-persona", "cot", ""),
    ]
    accuracies = {key: (cells[0].value.mean, cells[0].mark) for key, cells in rows.items()}
    assert accuracies["single", "cot", ""] == (0.0, "")
    assert accuracies["society-of-minds", "cot", "rounds=2"] == (1.0, "*")
    one, two = (
        rows["society-of-minds", "cot", "rounds=1"],
        rows["society-of-minds", "cot", "rounds=2"],
    )
    assert 0 < one[1] < two[1]
    assert report.findings[0].startswith("Open: ")
    assert report.findings[0].endswith("; add equal_budget = true to the study.")
    [equal] = [each for each in report.findings if each.startswith("two: ")]
    assert "and 1 other are right most often: on " in equal


def test_joined_runs_are_one_table_and_a_debate_counts_once(store):
    report, table = analyse("configurations", "both", "second", store=store)
    assert len(table.rows) == 5
    assert {row.cells[2].value.n for row in table.rows} == {5}
    assert any("25 debates that several runs hold counted once" in note for note in report.notes)


def test_the_best_and_the_median_of_each_protocol(store):
    _, table = analyse("best-by-protocol", "both", store=store)
    rows = {row.cells[0]: row.cells for row in table.rows}
    assert rows["society-of-minds"][1] == 2
    assert (rows["society-of-minds"][2].value.mean, rows["society-of-minds"][3]) == (1.0, 0.5)
    assert (rows["society-of-minds"][2].mark, rows["single"][2].mark) == ("*", "")


def test_the_best_of_a_protocol_is_told_for_each_model(tmp_path):
    models = ["simulated/good?accuracy=0.9", "simulated/poor?accuracy=0.1"]
    study = {
        "name": "models",
        "settings": {"model": models},
        "datasets": [{"name": "arithmetic", "n": 8}],
        "arms": [{"protocol": "single", "temperature": [0.1, 0.2]}],
    }
    asyncio.run(moot.run(study, store=tmp_path))
    _, table = analyse("best-by-protocol", "models", store=tmp_path)
    assert [row.cells[:3] for row in table.rows] == [["single", model, 2] for model in models]


def test_metrics_of_debates_are_those_of_the_paper(store):
    report, _ = analyse("debate-metrics", "both", store=store)
    names = {column.name for table in report.tables for column in table.columns}
    assert {"consensus", "changed", "any correct", "rounds", "unique first answers"} <= names
    report, table = analyse(
        "debate-metrics", "both", store=store, metric=["changed"], arms=["soc*"]
    )
    assert [row.cells[1].mean for row in table.rows if row.cells[1]] == [2.0]


def test_metrics_of_agents_are_told_by_role(store):
    _, table = analyse(
        "agent-metrics", "both", store=store, metric=["agent-accuracy"], arms=["multi*"]
    )
    found = {row.cells[1]: row.cells[2].mean for row in table.rows}
    assert found == {"affirmative": 0.0, "negative": 1.0, "judge": 1.0}
    assert [column.name for column in table.columns] == ["arm", "agent", "agent accuracy"]


def test_features_are_read_from_transcripts(store):
    _, table = analyse("features", "both", store=store)
    rows = {row.cells[0]: row.cells[1:] for row in table.rows}
    assert rows["single"] == ["1", "–", "–", "1", "–"]
    assert rows["society-of-minds"] == ["1 to 2", "–", "–", "2 to 4", "–"]
    assert rows["multi-persona"][1] == "judge"
    assert rows["multi-persona"][4] == "affirmative, negative"


def test_an_unknown_metric_is_named(store):
    with pytest.raises(moot.UnknownName, match="metric: unknown metric 'acuracy'"):
        analyse("debate-metrics", "both", store=store, metric=["acuracy"])
