"""Replies of published debates, labelled: bench/public_replies.py, bench/unseen_replies.py."""

import json
import re
from pathlib import Path

import pytest

from support.public_replies import LATER, find_labelled, is_answer, list_labels


def test_labels_have_no_words_of_the_replies():
    labels = list_labels()
    assert len(labels) == 600
    assert sum(label.split == "held-out" for label in labels) == 300
    for label in labels:
        for answer in (label.first, label.second):
            assert answer is None or re.fullmatch(r"[A-D]|-?[\d./:]{1,400}", answer)


def test_labels_of_unseen_logs_have_no_words_of_the_replies():
    file = Path(__file__).with_name("unseen_replies.jsonl")
    labels = [json.loads(line) for line in file.read_text().splitlines()]
    assert len({(each["sha"], each["path"], each["debate"], each["turn"]) for each in labels}) == 94
    for label in labels:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{7}", label["repository"])
        assert re.fullmatch(r"[0-9a-f]{16}", label["sha"])
        answer = label["answer"]
        assert answer is None or re.fullmatch(r"[A-D]|true|false|-?[\d.]{1,10}", answer)


@pytest.fixture(scope="module")
def read(request):
    """Each surely labelled reply: its label, and whether moot reads the same."""
    debates = request.getfixturevalue("debates")
    return [
        (label, is_answer(reply.read(), label.first, label.kind))
        for label, reply in find_labelled(debates)
        if label.agreed
    ]


@pytest.fixture(scope="module")
def debates(shared_data):
    return shared_data / "debates"


@pytest.mark.parametrize(("split", "share"), [("developed", 0.99), ("held-out", 0.955)])
def test_moot_reads_what_two_readers_read(read, split, share):
    rows = [agrees for label, agrees in read if label.split == split]
    assert len(rows) > 250
    assert sum(rows) / len(rows) >= share


def test_moot_reads_gpt35_and_later(read):
    rows = [agrees for label, agrees in read if label.log.startswith(LATER)]
    assert len(rows) > 300
    assert sum(rows) / len(rows) >= 0.99
