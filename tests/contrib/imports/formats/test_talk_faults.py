"""Logs of talks and hearings with any value in any place are read, or said to be unread."""

import json
from random import Random

import pytest

from contrib.imports.formats import test_autogen, test_langgraph, test_nyu_oversight
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import registry
from moot.contrib.imports.log_survey import LogSurvey
from moot.contrib.imports.logged_questions import QuestionKind
from moot.contrib.imports.transcripts import make_transcript

ODD = [None, 0, -1, 1e9, "", "x", [], {}, [[]], {"a": 1}, True, [None], ["x", 1], {"type": 1}]
SOUND = {
    "nyu-oversight": [test_nyu_oversight.hearing(*test_nyu_oversight.TALK)],
    "autogen": [
        {"messages": test_autogen.TASK},
        {"history": test_autogen.HISTORY, "mistake_agent": "x", "question": "q"},
        {"chat_messages": {"a": test_autogen.HISTORY}},
        {"agent_states": {"m": {"message_thread": test_autogen.TASK}}},
    ],
    "langgraph": [
        {"messages": test_langgraph.PLAIN},
        [test_langgraph.snapshot(test_langgraph.DUMPED)],
        [[{"messages": test_langgraph.PLAIN}, [], test_langgraph.AT]],
    ],
}


def list_places(value, place=()):
    yield place
    inner = enumerate(value) if isinstance(value, list) else ()
    for key, each in value.items() if isinstance(value, dict) else inner:
        yield from list_places(each, (*place, key))


def put(value, place, odd):
    if not place:
        return odd
    value = json.loads(json.dumps(value))
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = odd
    return value


@pytest.mark.parametrize("form", SOUND)
def test_odd_values_are_no_faults_of_the_reader(form, write):
    random = Random(form)
    for _ in range(200):
        value = random.choice(SOUND[form])
        for _ in range(random.choice([1, 1, 2])):
            value = put(value, random.choice([*list_places(value)]), random.choice(ODD))
        log = Log(write(value))
        found = registry.get(form)
        found.look(log)
        for debate in LogSurvey().keep_sound(found.read(log)):
            make_transcript(debate, QuestionKind(), source="x")
