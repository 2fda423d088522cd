"""The questions of every dataset, byte for byte: runs are known by the questions they ask."""

from hashlib import sha256

import msgspec
import pytest

from moot.datasets import library
from moot.datasets.dataset import registry

QUESTIONS = [
    ("arithmetic", {}, 50, "8a7c4dd94f1dd92b"),
    ("arithmetic", {"difficulty": 2}, 50, "4fd231679664d46e"),
    ("arithmetic", {"difficulty": 3}, 50, "accde4b5f7bfe278"),
    ("arithmetic", {"difficulty": 4}, 50, "5c859ac73bea0373"),
    ("chess-moves", {}, 50, "66ad89a1f005af85"),
    ("chess-state-tracking", {}, 1000, "e5ae72247417aa68"),
    ("ciar", {}, 50, "3e0cb670df280ee8"),
    ("ciar", {"format": "choice"}, 50, "987bafa1bc21f341"),
    ("cosmosqa", {}, 2985, "b10f1b19edf2f022"),
    ("debatepedia", {}, 321, "4bb06b23793736f2"),
    ("gpqa", {}, 448, "c36b14cc1afd4e10"),
    ("gpqa", {"part": "diamond"}, 198, "aecd8a161602b2ab"),
    ("gsm8k", {}, 1319, "9b77e644fcc9cba6"),
    ("medqa", {}, 1273, "58c97f86f1249275"),
    ("mmlu", {}, 1089, "c15fe68915e79d97"),
    ("mmlu", {"subject": "anatomy"}, 135, "fa7464821f8e0dcc"),
    ("piqa", {}, 1838, "f25124b4eb6ef2c5"),
    ("propositions", {}, 64, "f7d3ceb21fbc78af"),
    ("pubmedqa", {}, 500, "6f193d6385a6321a"),
    ("ramdocs", {}, 500, "9a0ab9f3650c5420"),
    ("starters", {}, 40, "5ca76dcb5597a0a5"),
    ("strategyqa", {}, 2290, "7b03fb9075c62a66"),
]
EXAMPLES = [
    ("arithmetic", {}, 100, "5c0e09ca58d2a898"),
    ("arithmetic", {"difficulty": 2}, 100, "215e76a61b29d008"),
    ("arithmetic", {"difficulty": 3}, 100, "8cc34c6a82bb9ff9"),
    ("arithmetic", {"difficulty": 4}, 100, "b14429dd8714a8ae"),
    ("chess-moves", {}, 100, "388550e9de5c330c"),
    ("pubmedqa", {}, 500, "970ece1fb1ad0098"),
    ("starters", {}, 20, "8ea31965b2adade1"),
]
NOT_COPIED = {"ramdocs"}
"""Datasets without a copy beside this project: their rows are in the tests of their own."""
FOLDERS = {"chess-state-tracking": "chess"}


def digest(things):
    """Return how many there are, and the start of the hash of their JSON, one a line."""
    lines = [msgspec.json.encode(each) + b"\n" for each in things]
    return len(lines), sha256(b"".join(lines)).hexdigest()[:16]


@pytest.fixture
def add(shared_data):
    """Take the copy of a dataset's files into the library, if it reads any."""

    def add(name):
        folder = shared_data / FOLDERS.get(name, name)
        if name in NOT_COPIED and not folder.is_dir():
            pytest.skip(f"{name}: no copy of its files is in ../shared/data")
        if name == "debatepedia":  # the copy is made of the published log
            library.add(name, folder / "titles.jsonl", force=True)
        elif registry.get(name).files:
            library.add(name, folder)

    return add


def test_every_dataset_is_here():
    own = {name for name in registry.names() if not registry.get(name).reads_user_files}
    assert {row[0] for row in QUESTIONS} == own - {"hub"}


@pytest.mark.parametrize(("name", "parameters", "number", "start"), QUESTIONS)
def test_questions(add, name, parameters, number, start):
    add(name)
    assert digest(library.stream(name, **parameters)) == (number, start)


@pytest.mark.parametrize(("name", "parameters", "number", "start"), EXAMPLES)
def test_examples(add, name, parameters, number, start):
    add(name)
    assert digest(library.training(name, **parameters)) == (number, start)
