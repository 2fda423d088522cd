"""Measures of debates and agents in the MAD paper, recounted from transcripts by other code."""

import asyncio
import json
import random
import sqlite3
from statistics import fmean

import pytest

import moot
from moot.core.results import Mean
from moot.core.table import Cell
from support.recounts import RecordedStudy
from support.stored_runs import copy_as_older

QUESTIONS = 6
ARMS = [
    {"protocol": "single"},
    {"protocol": "self-consistency", "samples": 3},
    {"protocol": "society-of-minds", "agents": 2, "rounds": [1, 2]},
    {"protocol": "multi-persona", "rounds": 3},
    {"protocol": "multi-persona", "rounds": 2, "name": "early", "temperature": 0.1},
]
NO = '{"Whether there is a preference": "No", "Supported Side": "", "debate_answer": ""}'
YES = '{"Whether there is a preference": "Yes", "Supported Side": "Negative", "debate_answer": "4"}'


def says(call):
    """Judge at once on four of six questions, and on all where agents are cold.

    The first side is right at first where a question's number is odd, the other one always. In
    round 2 both change, the first side on question 4 to what is right.
    """
    scene, number = call.scene, int(call.scene.question.id.removeprefix("q"))
    first = scene.agent in {"affirmative", "mind-1"}
    if scene.agent == "judge":
        ends = number < 4 or scene.round > 1 or call.sampling.temperature == 0.1
        return YES if ends else NO
    if scene.round == 1:
        return f"Final answer: {5 if first and number % 2 == 0 else 4}"
    return f"Final answer: {4 if first and number == 4 else 5}"


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    place = tmp_path_factory.mktemp("measures")
    rows = ({"id": f"q{k}", "question": f"{k} + 4 - {k}?", "answer": "4"} for k in range(QUESTIONS))
    (place / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    model = moot.Scripted(says, name="hasty")
    study = {
        "name": "hasty",
        "settings": {"model": model.name},
        "datasets": [{"name": "file", "label": "own", "path": str(place / "own.jsonl")}],
        "arms": ARMS,
    }
    return RecordedStudy(place / "store", study, models=[model])


@pytest.fixture
def store(held):
    return held.folder


@pytest.fixture
def spoken(held):
    """The answers of each agent of each debate, by arm: none of the metrics' code is in this."""
    found = {}
    for debate in held.debates:
        answers = {}
        for turn in debate.turns:
            own = answers.setdefault(turn["role"], {}).setdefault(turn["agent"], [])
            own.append(turn.get("answer"))
        found.setdefault(debate.arm, []).append(answers)
    return found


def analyse(name, store, **options):
    return asyncio.run(moot.analyse(name, "hasty", store=store, **options))


def read_cells(row):
    """The mean, the number of debates and the mark of each figure of a row."""
    made = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row.cells]
    return [
        (each.value.mean, each.value.n, each.mark) if isinstance(each.value, Mean) else None
        for each in made
    ]


def changed(agents):
    return sum(len(set(given)) > 1 for given in agents)


def list_debaters(debate):
    return [given for role, own in debate.items() if role != "judge" for given in own.values()]


def find_rows(store, **options):
    report = analyse("behaviour", store, **options)
    return report, {(row["arm"], row["measure"]): row for row in report.charts[0].rows}


def test_a_debate_that_ends_at_once_is_one_in_which_nobody_changes(store, spoken):
    report, rows = find_rows(store)
    for arm in ("early", "multi-persona", "society-of-minds rounds=2"):
        debates = [list_debaters(each) for each in spoken[arm]]
        row = rows[arm, "agents that change"]
        assert row["debates"] == QUESTIONS
        assert row["value"] == pytest.approx(fmean(changed(d) / len(d) for d in debates))
    assert rows["early", "agents that change"]["value"] == 0
    assert rows["multi-persona", "agents that change"]["value"] == pytest.approx(2 / 6)
    [note] = [each for each in report.notes if each.startswith("Not shown")]
    assert note == (
        "Not shown, since no agent can speak twice: single, self-consistency, "
        "society-of-minds rounds=1"
    )
    assert note in report.charts[0].notes


def test_a_mean_over_debates_that_went_on_says_of_how_many(store, spoken):
    names = ["changed", "changed-of-all", "parsed-changed-of-all"]
    [table] = analyse("debate-metrics", store, metric=names).tables
    for row in table.rows:
        debates = [list_debaters(each) for each in spoken[row.cells[0]]]
        on = [d for d in debates if any(len(given) > 1 for given in d)]
        went_on, of_all, parsed = read_cells(row)[1:]
        assert of_all == (pytest.approx(fmean(map(changed, debates))), QUESTIONS, "")
        assert parsed == of_all  # all of them are parsed
        if not on:
            assert went_on is None
            continue
        mark = f" (n {len(on)})" if len(on) < QUESTIONS else ""
        assert went_on == (pytest.approx(fmean(map(changed, on))), len(on), mark)


def test_bullied_and_relied_on_are_shares_of_all_agents(store, spoken):
    names = ["bullied-by-other", "bullied-by-other-of-all", "relied-on-other-of-all"]
    arms = ["multi-persona"]
    [table] = analyse("agent-metrics", store, metric=names, arms=arms).tables
    rows = [row for row in table.rows if row.cells[0] == "multi-persona"]
    found = {row.cells[1]: read_cells(row)[2:] for row in rows}
    for role in ("affirmative", "negative"):
        own = [each[role][role] for each in spoken["multi-persona"]]
        bullied = [a[0] == "4" and a[-1] not in {"4", None} for a in own]
        assert found[role][1] == (pytest.approx(fmean(bullied)), QUESTIONS, "")
        assert found[role][0] == (pytest.approx(sum(bullied) / 2), 2, " (n 2)")
        assert sum(bullied) == {"affirmative": 1, "negative": 2}[role]
        relied = [len(a) > 1 and a[0] != "4" == a[-1] for a in own]
        assert found[role][2] == (pytest.approx(fmean(relied)), QUESTIONS, "")


def test_a_judge_that_prefers_nobody_yet_has_no_answer_that_lacks_or_changes(store, spoken):
    names = [
        "agent-any-unparsed",
        "change-rate",
        "change-rate-of-all",
        "completion-tokens-per-reply",
    ]
    [table] = analyse("agent-metrics", store, metric=names, arms=["multi-persona"]).tables
    found = {tuple(row.cells[:2]): read_cells(row)[2:] for row in table.rows}
    said = [each["judge"]["judge"] for each in spoken["multi-persona"]]
    assert sum(None in answers for answers in said) == 2  # two first rulings prefer nobody
    unparsed, went_on, of_all, tokens = found["multi-persona", "judge"]
    assert (unparsed, went_on, of_all) == ((0, QUESTIONS, ""), None, (0, QUESTIONS, ""))
    assert tokens[1] == QUESTIONS


def first_share(right):
    return fmean(each[0] for each in right)


def draw_ends(values):
    """The middle 95 % of means of as many values, drawn with replacement."""
    chance = random.Random(1)
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(4000))
    return means[100], means[-101]


def test_gains_are_averaged_over_every_dataset_and_arm(store, spoken):
    report = analyse("gains", store)
    found = {(r["protocol"], r["to"]): r["gain"] for r in report.charts[0].rows}
    for protocol, arms in {
        "multi-persona": ["multi-persona", "early"],
        "society-of-minds": ["society-of-minds rounds=2"],
    }.items():
        gains = []
        for arm in arms:
            debates = [list_debaters(each)[0] for each in spoken[arm]]
            first = fmean(answers[0] == "4" for answers in debates)
            last = fmean(answers[-1] == "4" for answers in debates)
            gains.append((last - first) / first)
        assert found[protocol, "to its last answer"] == pytest.approx(fmean(gains))
    assert found["society-of-minds", "to its last answer"] < 0
    [row] = [r for r in report.charts[0].rows if r["gain"] < 0 and "last" in r["to"]]
    right = [[answer == "4" for answer in answers] for answers in debates]
    low, high = draw_ends([(last - first) / first_share(right) for first, last in right])
    a_question = 1 / first_share(right) / QUESTIONS
    assert row["low"] == pytest.approx(low, abs=1.01 * a_question)
    assert row["high"] == pytest.approx(high, abs=1.01 * a_question)
    assert row["low"] < row["gain"] < row["high"]
    assert any("self-consistency" in note for note in report.notes)


def test_features_are_those_of_the_transcripts(store, spoken):
    [table] = analyse("features", store).tables
    found = {row["protocol"]: row for row in table.records}
    every = {}
    for arm, debates in spoken.items():
        every.setdefault(arm.partition(" ")[0].replace("early", "multi-persona"), []).extend(
            debates
        )
    for protocol, debates in every.items():
        rounds = {max(len(given) for own in d.values() for given in own.values()) for d in debates}
        calls = {sum(len(given) for own in d.values() for given in own.values()) for d in debates}
        if protocol == "multi-persona":  # the judge's last ruling is one more in the same round
            rounds = {1, 2}
        spans = [" to ".join(map(str, sorted({min(e), max(e)}))) for e in (rounds, calls)]
        own = found[protocol]
        assert [own["rounds"], own["calls"]] == spans
        assert own["flexible rounds"] is (protocol in {"multi-persona", "society-of-minds"})
        assert own["sequential"] is (protocol in {"multi-persona", "society-of-minds"})
        assert own["judge"] is own["unlike agents"] is (protocol == "multi-persona")
        assert own["several calls"] is (protocol != "single")
        assert own["summariser"] is False
    assert found["multi-persona"]["roles"] == "affirmative, judge, negative"
    assert found["single"]["roles"] == "–"


def test_values_of_older_runs_are_counted_anew_and_never_taken_for_others(store, tmp_path):
    before = find_rows(store)[1]
    options = {"metric": ["changed-of-all", "bullied-by-other-of-all"]}
    table = analyse("debate-metrics", store, **options).tables[0]
    old = tmp_path / "old"
    copy_as_older(store, old, "of-all")
    assert find_rows(old)[1] == before
    assert analyse("debate-metrics", old, **options).tables[0] == table
    with sqlite3.connect(old / "moot.db") as file:  # half of them: as of two moots
        file.executemany(
            "UPDATE debates SET metrics = ?, values_digest = NULL WHERE id = ?",
            sqlite3.connect(store / "moot.db").execute(
                "SELECT metrics, id FROM debates WHERE id % 2"
            ),
        )
    file.close()
    assert find_rows(old)[1] == before


def test_boxes_have_the_accuracies_of_the_verdicts(store, held):
    verdicts = {}
    for debate in held.debates:
        verdicts.setdefault(debate.arm, []).append(debate.is_right)
    [chart] = analyse("boxes", store).charts
    assert {row["arm"]: row["accuracy"] for row in chart.rows} == {
        arm: pytest.approx(fmean(right)) for arm, right in verdicts.items()
    }
    assert not any(row["told"] for row in chart.rows)
