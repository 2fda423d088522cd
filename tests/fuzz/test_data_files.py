"""Whatever a data file has in it: questions, or an error that names file and row."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import strategies as st

from moot.core.errors import MootError
from moot.datasets import data_files, library
from moot.datasets.dataset import registry
from support.fuzzing import VALUES, WORDS, fuzz, mutated

ROWS = [
    {"question": "What is 2+2?", "answer": "4"},
    {"id": "a", "question": "Which?", "choices": ["one", "two"], "answer": "B", "kind": "choice"},
    {"id": 3, "question": "Is it?", "answer": True, "context": "So it is."},
    {"question": "Who?", "answer": ["Ada", "Lovelace"]},
]
KEYS = ["id", "kind", "question", "context", "choices", "answer", "secret", "reason"]
CSV = "id,question,answer,choices\n1,What is 2+2?,4,\n2,Which?,B,one|two\n"


def read(path: Path, **parameters) -> None:
    """Read all questions of a file; only moot's own errors may come."""
    with suppress(MootError):
        library.questions("file", path=str(path), **parameters)


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv"])
def test_mutated_files_of_the_user(tmp_path, ending):
    texts = {
        "jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
        "json": json.dumps(ROWS, indent=0),
        "csv": CSV,
    }
    file = tmp_path / f"rows.{ending}"

    def check(text):
        file.write_text(text, errors="surrogatepass")
        read(file)

    fuzz(check, text=mutated(texts[ending]))


def test_any_rows(tmp_path):
    file = tmp_path / "rows.jsonl"
    row = st.dictionaries(st.sampled_from(KEYS) | WORDS, VALUES, max_size=6)

    def check(rows, columns):
        file.write_text("\n".join(map(json.dumps, rows)), errors="surrogatepass")
        read(file)
        with suppress(MootError):
            library.questions("file", path=str(file), columns=columns)

    columns = st.dictionaries(st.sampled_from(KEYS), WORDS | st.lists(WORDS, max_size=3))
    fuzz(check, rows=st.lists(row, min_size=1, max_size=4), columns=columns)


def test_any_bytes(tmp_path):
    names = ["rows.jsonl", "rows.json", "rows.csv", "rows.parquet", "rows.csv.gz", "rows"]

    def check(name, data):
        file = tmp_path / name
        file.write_bytes(data)
        read(file)

    starts = st.sampled_from([b"", b"PAR1", b"\x1f\x8b\x08", b"\xff\xfe", b"[", b"id,question\n"])
    data = st.tuples(starts, st.binary(max_size=120)).map(b"".join)
    fuzz(check, name=st.sampled_from(names), data=data)


def _heads(contents: list[bytes]) -> list[str]:
    """The first rows of published files, in their own format; of files with keys, the same rows."""
    if len(contents[0].splitlines()) > 1 and not contents[0].lstrip().startswith((b"[", b"{\n")):
        return ["".join(each.decode().splitlines(keepends=True)[:8]) for each in contents]
    wholes = [json.loads(each) for each in contents]
    if isinstance(wholes[0], list):
        heads = [whole[:4] for whole in wholes]
    elif "examples" in wholes[0]:
        heads = [whole | {"examples": whole["examples"][:4]} for whole in wholes]
    else:
        keys = sorted(set.intersection(*map(set, wholes)))[:4]
        heads = [{key: whole[key] for key in keys} for whole in wholes]
    return [json.dumps(head, indent=0) for head in heads]


UNSEEN = {"debatepedia", "gpqa"}
"""No copy of its published files is here, and an encrypted archive."""
PUBLISHED = [each.name for each in registry if each.files and "moot." in each.read.__module__]
FOLDERS = {"chess-state-tracking": "chess"}
DOCUMENTS = [{"text": "The Sar is 9 km.", "type": "correct", "answer": "9 km"}]
RAMDOCS = {
    "question": "How long is the Sar?", "documents": DOCUMENTS, "disambig_entity": ["Sar"],
    "gold_answers": ["9 km"], "wrong_answers": [],
}  # fmt: skip
OWN_ROWS = {"ramdocs": f"{json.dumps(RAMDOCS)}\n".encode() * 2}
"""Rows in the published format, for files of which no copy is here."""


def _read_published(name: str, shared_data: Path) -> list[bytes]:
    if name in OWN_ROWS:
        return [OWN_ROWS[name]]
    files = registry.get(name).files
    folder, alone = shared_data / FOLDERS.get(name, name), len(files) == 1
    found = [data_files.find_copy(file, folder, alone=alone) for file in files]
    return [data_files.read_unpacked(each) for each in found]


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted({*PUBLISHED} - UNSEEN))
def test_mutated_published_files(shared_data, tmp_path, name):
    source = registry.get(name)
    heads = _heads(_read_published(name, shared_data))
    copies = [tmp_path / file.name for file in source.files]
    for copy in copies:
        copy.parent.mkdir(parents=True, exist_ok=True)

    def check(place, text):
        for number, (copy, head) in enumerate(zip(copies, heads, strict=True)):
            copy.write_text(text if number == place else head, errors="surrogatepass")
        with suppress(MootError):
            list(source.read(*copies, **source.check_settings({})))

    for copy, head in zip(copies, heads, strict=True):
        copy.write_text(head)
    assert list(source.read(*copies, **source.check_settings({})))
    drawn = st.integers(0, len(heads) - 1).flatmap(
        lambda place: st.tuples(st.just(place), mutated(heads[place]))
    )
    fuzz(lambda pair: check(*pair), pair=drawn)
