"""A folder's index: found by words, by embeddings and by both, in scripts of all kinds."""

import re
import sys
from pathlib import Path

import msgspec
import pytest

from moot.contrib.documents.folder_index import FolderIndex, index_folder
from moot.core.errors import InputError

ROWS = [
    msgspec.json.decode(line)
    for line in Path(__file__).with_name("searches.jsonl").read_bytes().splitlines()
]
"""Passages with a query that has words of them, and one that has none; see bench/searches.py."""
WAYS = ("words", "embeddings", "both")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("mixed")
    for row in ROWS:
        name = f"{row['language']}-{row['topic']}.txt"
        (folder / name).write_text(row["passage"], encoding="utf-8")
    return str(folder)


def rank(index: FolderIndex, row: dict[str, str], kind: str) -> int:
    sources = [index.pieces[place].source for place in index.best(row[kind], 5)]
    right = f"{row['language']}-{row['topic']}.txt:1"
    return sources.index(right) + 1 if right in sources else 99


def test_words_find_other_forms_and_embeddings_what_has_no_word_of_the_query(mixed):
    found = {}
    for by in WAYS:
        index = index_folder(mixed, by)
        found[by] = sum(rank(index, row, "far") <= 5 for row in ROWS)
        near = [rank(index, row, "near") for row in ROWS]
        assert by != "words" or near == [1] * 100, "words in other forms are found first"
        assert index.best("", 5) == []
    assert found["words"] <= 15
    assert found["embeddings"] >= 45
    assert found["both"] >= 45


def test_both_fuse_ranks(tmp_path):
    texts = ("Museums cost money.", "Galleries are expensive.", "Museums of money are museums.")
    for name, text in zip("abc", texts, strict=True):
        (tmp_path / f"{name}.txt").write_text(text)
    query = "museums cost money"
    by_words = index_folder(str(tmp_path), "words").best(query, 5)
    by_rows = index_folder(str(tmp_path), "embeddings").best(query, 5)
    assert by_words == [0, 2]
    assert sorted(by_rows) == [0, 1, 2]
    ranks = (by_words, by_rows)
    scores = {
        place: sum(1 / (61 + each.index(place)) for each in ranks if place in each)
        for place in range(3)
    }
    fused = sorted(scores, key=lambda place: -scores[place])
    assert index_folder(str(tmp_path), "both").best(query, 5) == fused
    assert index_folder(str(tmp_path), "both").best(query, 1) == fused[:1]


@pytest.mark.parametrize(
    ("by", "lacks", "told"),
    [("words", "bm25s", "moot[essays]"), ("embeddings", "wordllama", "moot[embed]")],
)
def test_what_is_not_installed_is_told(tmp_path, by, lacks, told, monkeypatch):
    (tmp_path / "a.txt").write_text("words")
    monkeypatch.setitem(sys.modules, lacks, None)
    with pytest.raises(InputError, match=re.escape(told)):
        index_folder(str(tmp_path), by)


def test_an_index_is_made_once_and_anew_when_a_document_changes(tmp_path):
    (tmp_path / "a.txt").write_text("the moon is far")
    first = index_folder(str(tmp_path), "both")
    again = index_folder(str(tmp_path), "both")
    assert again.words is first.words
    assert again.rows is first.rows
    assert index_folder(str(tmp_path), "words").words is first.words
    (tmp_path / "b.txt").write_text("the sun is farther")
    assert len(index_folder(str(tmp_path), "both").rows) == 2
