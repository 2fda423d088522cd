import pytest

from moot.core.questions import Question
from moot.parsing.scored import Scores
from moot.reports.export.export_tables import make_export_table
from moot.reports.export.outline import ExportedDebate


@pytest.fixture
def rows(debates):
    def rows(what, metrics=()):
        made = make_export_table(what, list(metrics))
        return [
            dict(zip(made.columns, row, strict=True))
            for debate in debates
            for row in made.rows(debate)
        ]

    return rows


def test_a_row_a_debate(rows):
    found = rows("debates", ["accuracy", "cost", "unheard-of"])
    assert len(found) == 7
    _, pick, _, wrong, _, failed, _ = found
    where = {"run": "trial-1", "study": "Trial", "dataset": "sums", "arm": "pair", "replicate": 0}
    how = {"simulated": False, "protocol": "society-of-minds", "kind": "choice"}
    asked = {"question_id": "pick", "question": "Which is even?", "choices": ("one", "two")}
    ended = {"correct_answers": ("B",), "verdict": "B", "decided_by": "majority"}
    settings = {"settings": '{"agents":2,"cast":[],"model":"local/smollm2"}'}
    failure = {"failed_kind": None, "failed_reason": None}
    metrics = {"accuracy": 1.0, "cost": 0.5, "unheard-of": None}
    assert pick == where | how | asked | ended | settings | failure | metrics
    assert (wrong["correct_answers"], wrong["verdict"], wrong["accuracy"]) == (
        ("-3", "-6/2"), "4", 0.0,
    )  # fmt: skip
    assert (failed["verdict"], failed["decided_by"]) == (None, None)
    assert (failed["failed_kind"], failed["failed_reason"]) == ("TransientError", "it hung up")


def test_a_row_a_turn(rows, held):
    found = rows("turns")
    assert len(found) == sum(len(transcript.turns) for *_, transcript in held) == 12
    assert [row["right"] for row in found] == [
        *(None, None), *(True, False), *(True, True), *(True, False), *(True, True), False, True
    ]  # fmt: skip
    second, last = found[3].items(), found[-1].items()
    assert {"turn": 2, "agent": "mind 2", "seat": 1, "reads": (1,)}.items() <= second
    assert found[3]["answer"] is None
    assert {"prompt_tokens": None, "completion_tokens": 10, "node": None}.items() <= second
    assert {"cost": 0.25, "seconds": 0.5, "debater": True, "parser": None}.items() <= second
    assert {"finish": "length", "order": (1, 0), "parser": "ruling"}.items() <= last
    assert found[-1]["reading"] == '{"kind":"ruling","side":"left"}'
    assert found[3]["reading"] is None


async def test_a_reading_whose_tables_have_numbers_as_keys_is_written(debate, keep, store):
    scores = Scores(words="4", given={10: {"agent 2": 8}, 0: {"agent 3": 7}})
    asked = Question(id="sum", kind="number", text="2 + 2?", answer="4")
    run = await keep([("pair", "sums", debate(asked, "4", verdict="4", reading=scores))])
    table = make_export_table("turns", [])
    [row] = [row for each in store.debates(run.id) for row in table.rows(ExportedDebate(run, each))]
    found = dict(zip(table.columns, row, strict=True))
    assert found["reading"] == (
        '{"given":{"0":{"agent 3":7},"10":{"agent 2":8}},"kind":"scores","words":"4"}'
    )
