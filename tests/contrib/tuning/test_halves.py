"""The split: disjoint, complete, seeded; a repeated question is on one side."""

import json

import pytest

from moot.contrib.tuning.halves import Half, split_questions
from moot.contrib.tuning.tuning_file import load
from moot.core.errors import InputError
from moot.studies.plan import Plan
from support.commands import study


def split(raw, share=0.5, seed=0, limit=None):
    read = load(raw).study
    return split_questions(Plan(read, limit=limit), share, seed=seed, file="here")


def questions(tmp_path, rows):
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def test_the_sides_are_disjoint_complete_and_seeded():
    found = split(study(50), 0.3)
    assert (len(found.development), len(found.held_out)) == (15, 35)
    assert not found.development & found.held_out
    assert found == split(study(50), 0.3)
    assert found != split(study(50), 0.3, seed=1)
    assert len(split(study(50), 20).development) == 20
    assert len(split(study(50), 0.5, limit=10).held_out) == 5


def test_a_repeated_question_is_on_one_side_in_and_across_datasets(tmp_path):
    rows = [
        {"id": f"{copy}-{n}", "question": f"What is  {n} + 1?" if copy else f"what is {n} + 1?",
         "kind": "number", "answer": str(n + 1)}
        for n in range(12) for copy in range(2)
    ]  # fmt: skip
    path = questions(tmp_path, rows)
    datasets = [
        {"name": "file", "path": path, "label": "one"},
        {"name": "file", "path": path, "label": "two", "n": 20, "seed": 3},
    ]
    for seed in range(5):
        found = split(study(datasets=datasets), 0.4, seed=seed)
        sides = [{name.partition("-")[2] for _, name in side} for side in found]
        assert sides[0]
        assert not sides[0] & sides[1]
        assert len(found.development) + len(found.held_out) == 44


def test_the_debates_of_a_half_come_in_parts_that_make_the_whole():
    read = load(study(30, replicates=2)).study
    found = split(study(30))
    half = Half(read, found.development, seed=0, limit=None)
    assert half.size == 30
    parts = list(half.parts(4))
    assert [part.size for part in parts] == [7, 8, 7, 8]
    assert [task for part in parts for task in part.tasks()] == list(half.tasks())
    assert {(task.dataset, task.question.id) for task in half.tasks()} == found.development


def test_too_few_questions_on_a_side_or_without_answers_are_an_error(tmp_path):
    for share in (0.01, 0.99, 1, 10):
        with pytest.raises(InputError, match=r"here: tune: development = .* of the 10 ques"):
            split(study(10), share)
    rows = [{"id": f"{n}", "question": f"{n}?", "kind": "number"} for n in range(8)]
    datasets = [{"name": "file", "path": questions(tmp_path, rows)}]
    with pytest.raises(InputError, match="no known answer"):
        split(study(datasets=datasets))
