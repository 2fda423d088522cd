"""The specs of published files say what the copies' own records say."""

import json

import pytest

from moot.datasets.dataset import registry

COPIED = ("ciar", "cosmosqa", "gsm8k", "medqa", "mmlu", "piqa", "pubmedqa", "strategyqa")


@pytest.mark.parametrize("name", COPIED)
def test_every_file_is_pinned_to_the_revision_of_the_copy(shared_data, name):
    source = json.loads((shared_data / name / "SOURCE.json").read_bytes())
    base = f"https://raw.githubusercontent.com/{source['repo']}/{source['commit']}"
    files = registry.get(name).files
    assert {(f.url, f.sha256, f.bytes) for f in files} == {
        (f"{base}/{copy['path']}", copy["sha256"], copy["bytes"]) for copy in source["files"]
    }
    for file in files:
        assert file.url.endswith(f"/{file.name}")


@pytest.mark.parametrize("name", sorted({*COPIED} - {"medqa"}))
def test_a_training_file_is_of_the_same_revision(name):
    dataset = registry.get(name)
    commits = {file.url.split("/")[5] for file in dataset.files}
    worked = dataset.examples.files if dataset.examples else ()
    assert {file.url.split("/")[5] for file in worked} <= commits
    assert all(len(file.sha256) == 64 for file in worked)


def test_the_training_file_of_medqa_is_pinned_to_a_revision_of_the_hub():
    [file] = registry.get("medqa").examples.files
    place, _, name = file.url.rpartition("/")
    assert place.startswith("https://huggingface.co/datasets/GBaker/MedQA-USMLE-4-options/resolve/")
    assert len(place.rpartition("/")[2]) == 40
    assert (name, len(file.sha256), file.bytes) == ("phrases_no_exclude_train.jsonl", 64, 0)
