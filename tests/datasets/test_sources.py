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
