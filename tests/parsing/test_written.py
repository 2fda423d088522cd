"""Written replies, each under the promise that it holds readers to, and what is read of it.

In ``written.jsonl`` a line names a question; or begins a promise, with the reader, the question and
what was heard; or is a reply of the promise above it, with its answer and what else it says. Where
an answer or a reading is left out, there is none.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from moot.core.questions import Question
from moot.parsing.parser import registry


class Promise(NamedTuple):
    told: dict[str, Any]
    replies: list[dict[str, Any]]


def load() -> tuple[dict[str, Question], list[Promise]]:
    questions: dict[str, Question] = {}
    promises: list[Promise] = []
    for line in (Path(__file__).parent / "written.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "asked" in row:
            questions[row["question"]] = msgspec.convert(row["asked"], Question)
        elif "promise" in row:
            promises.append(Promise(row, []))
        else:
            promises[-1].replies.append(row)
    return questions, promises


QUESTIONS, PROMISES = load()


def name(promise: Promise) -> str:
    return f"{promise.told['promise']}: {promise.told['reader']} {promise.told['of']}"


@pytest.mark.parametrize("promise", PROMISES, ids=name)
def test_what_is_read_of_a_reply_is_what_is_written_down(promise):
    told, wrong = promise.told, []
    for row in promise.replies:
        parsed = registry.get(told["reader"])(
            row["text"], QUESTIONS[told["of"]], told.get("finished", True), told.get("heard")
        )
        found = json.loads(
            msgspec.json.encode({"answer": parsed.answer, "reading": parsed.reading})
        )
        expected = {"answer": row.get("answer"), "reading": row.get("reading")}
        if found != expected:
            wrong.append((row["text"], found, expected))
    assert promise.replies
    assert wrong == []
