from datetime import datetime

import pytest
from msgspec.structs import replace

from moot.contrib.inspect.inspect_samples import TIMES, add_usage, identifier, sample, summary
from moot.reports.export.outline import ExportedDebate

TURN = {"input_tokens": 50, "output_tokens": 10, "total_tokens": 60}


def test_a_debate_is_a_sample_with_its_turns_as_messages(debates):
    made = sample(debates[1])
    assert (made["id"], made["epoch"], made["target"]) == ("pick", 1, "B")
    assert made["input"] == "Numbers are odd or even.\n\nWhich is even?"
    assert made["choices"] == ["one", "two"]
    asked, first, second = made["messages"]
    assert asked["role"] == "user"
    assert asked["content"] == f"{made['input']}\n\nA) one\nB) two"
    assert (first["role"], first["model"], first["content"]) == (
        "assistant", "local/smollm2", "I say so.",
    )  # fmt: skip
    assert first["metadata"]["agent"] == "mind 1"
    assert (second["metadata"]["answer"], second["metadata"]["reads"]) == (None, (1,))
    assert made["output"]["completion"] == "I say so."
    assert made["output"]["model"] == "local/smollm2"
    assert made["metadata"] == {"decided_by": "majority", "votes": {"-3": 2}, "times": TIMES}
    assert made["total_time"] == 1.5
    assert made["model_usage"] == {}  # the endpoint did not tell
    assert sample(debates[4])["model_usage"]["local/smollm2"]["input_tokens_cache_read"] == 40
    assert sample(debates[6])["output"]["choices"][0]["stop_reason"] == "max_tokens"


def test_a_turn_begins_when_what_it_reads_is_there(debates):
    """The second turn reads the first, and each takes half a second; the debate took 1.5."""
    made = sample(debates[1])
    begun = datetime.fromisoformat(made["started_at"]).timestamp()
    assert begun == pytest.approx(debates[1].run.created, abs=1e-3)
    first, second = [event for event in made["events"] if event["event"] == "model"]
    assert (first["working_start"], second["working_start"]) == (0.0, 0.5)
    assert datetime.fromisoformat(second["completed"]).timestamp() == pytest.approx(begun + 1.0)
    assert datetime.fromisoformat(made["completed_at"]).timestamp() == pytest.approx(begun + 1.5)


def test_an_event_of_a_turn_has_what_was_read_and_said(debates):
    made = sample(debates[1])
    kinds = [event["event"] for event in made["events"]]
    assert kinds == ["sample_init", "span_begin", "model", "model", "span_end", "score", "score"]
    asked, first, second = made["messages"]
    events = [event for event in made["events"] if event["event"] == "model"]
    assert [event["output"]["choices"][0]["message"] for event in events] == [first, second]
    assert events[1]["input"][:2] == [asked, first]
    assert "prompt 'answer' · shown: #1]" in events[1]["input"][2]["content"]
    failed = sample(debates[5])["events"]
    assert [event["error"]["message"] for event in failed if event["event"] == "error"] == [
        "TransientError: it hung up"
    ]


def test_scores_are_right_or_wrong_with_all_other_metrics(debates):
    talk, pick, _, wrong, *_ = map(sample, debates)
    assert pick["scores"]["accuracy"] == {
        "value": "C", "answer": "B", "explanation": "decided by majority"
    }  # fmt: skip
    assert pick["scores"]["metrics"]["value"]["cost"] == 0.5
    assert None not in pick["scores"]["metrics"]["value"].values()
    assert wrong["scores"]["accuracy"]["value"] == "I"
    assert wrong["target"] == ["-3", "-6/2"]
    assert list(talk["scores"]) == ["metrics"]
    assert talk["target"] == ""


def test_a_failed_debate_is_an_error_and_not_right(debates):
    made = sample(debates[5])
    assert made["error"]["message"] == "TransientError: it hung up"
    assert made["scores"]["accuracy"] == {
        "value": "I", "answer": None, "explanation": "no verdict"
    }  # fmt: skip
    assert made["output"] == {}
    assert len(made["messages"]) == 2
    assert summary(made)["error"] == "TransientError: it hung up"


def test_an_unknown_cost_stays_unknown():
    total = {}
    for cost in (0.5, None, 0.5):
        add_usage(total, "m", TURN | {"total_cost": cost})
    assert total == {
        "m": {"input_tokens": 150, "output_tokens": 30, "total_tokens": 180, "total_cost": None}
    }


def test_ids_are_stable_and_differ(debates):
    ids = [sample(debate)["uuid"] for debate in debates]
    assert ids == [sample(debate)["uuid"] for debate in debates]
    assert len(set(ids)) == len(ids)
    assert identifier("ab", "c") != identifier("a", "bc")


def test_an_id_of_any_length_has_a_short_name(debates):
    first = debates[1]
    names = set()
    for number in range(2):
        row = replace(first.row, question="x" * 100_000 + str(number))
        made = sample(ExportedDebate(first.run, row))
        assert len(made["id"]) < 1_100
        assert made["metadata"]["question_id"] == row.question
        names.add(made["id"])
    assert len(names) == 2
