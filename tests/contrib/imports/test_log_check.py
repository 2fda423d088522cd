"""The check of the open format names every wrong line with its path."""

import json
from pathlib import Path

import msgspec
import pytest

from moot.contrib.imports.debate_log import FORMAT, LoggedDebate
from moot.contrib.imports.log_check import check_log, find_faults
from moot.contrib.imports.log_files import Log

DOCS = Path(__file__).parents[3] / "docs"
SOUND = {
    "format": FORMAT,
    "id": "q1",
    "question": {"text": "2 + 2?", "answer": "4"},
    "agents": [{"name": "A"}, {"name": "B"}],
    "turns": [{"agent": "A", "text": "4"}, {"agent": "B", "text": "4", "reads": [1]}],
}
WRONG = [
    ({"format": "debate-log/9"}, "format: Invalid value 'debate-log/9'"),
    ({"id": 7}, "id: Expected `str`, got `int`"),
    ({"turns": [{"agent": "A", "text": "4"}, {"agent": "A"}]}, "turns[1]: Object missing required"),
    ({"turns": [{"agent": "A", "text": 4}]}, "turns[0].text: Expected `str`, got `int`"),
    ({"turns": [{"agent": "C", "text": "4"}]}, "turns[1].agent: 'C' is no agent"),
    ({"agents": [{"name": "A"}, {"name": "A"}]}, "agents: the name 'A' stands twice"),
    ({"verdict": {"turn": 9}}, "verdict.turn: there is no turn 9"),
    ({"questoin": 1}, "questoin: unknown key; more of a debate goes into labels"),
    ({"question": {"text": "2?", "anwser": "4"}}, "question.anwser: unknown key"),
    ({"agents": [{"name": "A"}, {"name": "B", "modle": "x"}]}, "agents[1].modle: unknown key"),
    ({"turns": []}, "it has no turn"),
    ({"moot": {"arm": 7}}, "its key moot is not as moot exports it"),
]


def test_a_sound_debate_has_no_fault():
    assert list(find_faults(SOUND)) == []


@pytest.mark.parametrize(("change", "why"), WRONG, ids=[why for _, why in WRONG])
def test_a_fault_is_named_with_its_path(change, why):
    found = list(find_faults(SOUND | change))
    assert len(found) == 1
    assert found[0].startswith(why)


@pytest.mark.parametrize("value", [7, None, [], "x", {}])
def test_what_is_no_debate_is_named(value):
    assert len(list(find_faults(value))) == 1


def test_every_wrong_line_is_listed(tmp_path):
    lines = [SOUND, SOUND | {"id": 7}, SOUND, SOUND | {"questoin": 1, "answr": 2}]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    found = check_log(Log(path))
    assert (found.format, found.lines) == (FORMAT, 4)
    places = ["log.jsonl, line 2", "log.jsonl, line 4", "log.jsonl, line 4"]
    assert [each.place for each in found.faults] == places


def test_the_schema_in_the_docs_is_that_of_the_structs():
    kept = json.loads((DOCS / "debate-log.schema.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(msgspec.json.schema(LoggedDebate)))


def test_the_example_by_hand_is_sound():
    found = check_log(Log(DOCS / "debate-log.example.jsonl"))
    assert (found.lines, found.faults) == (2, [])
