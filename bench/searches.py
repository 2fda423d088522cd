"""How well passages are found: by their words, by embeddings, and by both.

Run ``python bench/searches.py --data FOLDER``: the folder has ``pubmedqa/ori_pqal.json.gz`` and
``cosmosqa/valid.csv.gz``. Without it only our own queries are searched, and their figures printed.

- ``pubmedqa``: a question is to find a passage of its own abstract among those of 1,000.
- ``cosmosqa``: a question is to find the passage that it was written for; every third.
- ``near`` and ``far``: 100 passages in ten languages and eight scripts, in one folder. The near
  query of a passage has words of it, in other forms; the far one says it without any of them.

Recall is the share of queries with a right passage among the first five; the reciprocal rank is 0
for none among the first 1,000. Intervals are at 95 %, over queries. ``--speed FOLDER`` says instead
what it takes to index a folder and to search it.
"""

import csv
import gzip
import io
import resource
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple, get_args

import msgspec

from moot.contrib.documents.folder_index import FolderIndex, index_folder
from moot.contrib.documents.settings import SearchMethod
from moot.statistics.intervals import Cluster, clopper_pearson, find_bounded_interval

ROWS = Path(__file__).parent.parent / "tests" / "contrib" / "documents" / "searches.jsonl"
DEEP = 1000
WAYS: Sequence[SearchMethod] = get_args(SearchMethod)


class SearchedPassage(msgspec.Struct, frozen=True):
    """A passage, with a query that has words of it and one that has none."""

    language: str
    topic: str
    passage: str
    near: str
    far: str


class LabelledQuery(NamedTuple):
    """A query, and the name of the document that is to be found."""

    text: str
    document: str


def load_rows() -> list[SearchedPassage]:
    """Return our own passages with their queries."""
    lines = ROWS.read_bytes().splitlines()
    return [msgspec.json.decode(line, type=SearchedPassage) for line in lines]


def write_folder(folder: Path, documents: Mapping[str, str]) -> str:
    """Write a file for each document, and return the folder."""
    folder.mkdir()
    for name, text in documents.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return str(folder)


def find_rank(index: FolderIndex, query: LabelledQuery) -> int | None:
    """Return the rank of the first passage of the right document; None where none is found."""
    for rank, place in enumerate(index.best(query.text, DEEP), 1):
        if index.pieces[place].source.partition(".txt")[0] == query.document:
            return rank
    return None


def measure(name: str, folder: str, queries: Iterable[LabelledQuery]) -> None:
    """Print recall and mean reciprocal rank of each way to search."""
    asked = list(queries)
    for by in WAYS:
        index = index_folder(folder, by)
        ranks = [find_rank(index, query) for query in asked]
        found = sum(rank is not None and rank <= 5 for rank in ranks)
        first = sum(rank == 1 for rank in ranks)
        low, high = clopper_pearson(found, len(ranks))
        clusters = [Cluster(1 / rank if rank else 0.0, 1) for rank in ranks]
        mean = sum(each.total for each in clusters) / len(clusters)
        least, most = find_bounded_interval(clusters) or (0.0, 1.0)
        print(
            f"{name:12} {by:10} {len(ranks):5} queries   first {first / len(ranks):.3f}   "
            f"recall@5 {found / len(ranks):.3f} [{low:.3f}-{high:.3f}]   "
            f"MRR {mean:.3f} [{least:.3f}-{most:.3f}]",
            flush=True,
        )


def load_pubmedqa(data: Path) -> tuple[dict[str, str], list[LabelledQuery]]:
    """Return abstracts by their number, and the question of each."""
    rows = msgspec.json.decode(gzip.decompress((data / "pubmedqa/ori_pqal.json.gz").read_bytes()))
    documents = {name: "\n\n".join(row["CONTEXTS"]) for name, row in rows.items()}
    return documents, [LabelledQuery(row["QUESTION"], name) for name, row in rows.items()]


def load_cosmosqa(data: Path) -> tuple[dict[str, str], list[LabelledQuery]]:
    """Return passages by their number, and every third question."""
    text = gzip.decompress((data / "cosmosqa/valid.csv.gz").read_bytes()).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    names = {row["context"]: "" for row in rows}
    names = {context: str(number) for number, context in enumerate(names)}
    queries = [LabelledQuery(row["question"], names[row["context"]]) for row in rows[::3]]
    return {name: context for context, name in names.items()}, queries


def query_rows(rows: Sequence[SearchedPassage], kind: str) -> Iterator[tuple[str, LabelledQuery]]:
    """Yield the language of each query of a kind, and the query."""
    for row in rows:
        yield row.language, LabelledQuery(getattr(row, kind), f"{row.language}-{row.topic}")


def measure_speed(folder: str) -> None:
    """Print what it takes to index a folder, and to search it then."""
    for by in WAYS:
        began, worked = perf_counter(), process_time()
        pieces = index_folder(folder, by).pieces
        wall, cpu = perf_counter() - began, process_time() - worked
        began = perf_counter()
        index_folder(folder, by).best("Do museums without fees have more visitors?", 5)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{by:10} {len(pieces):,} passages: {wall:.0f} s ({cpu:.0f} s of CPU), then "
            f"{perf_counter() - began:.2f} s a query; {memory:.0f} MiB in all so far",
            flush=True,
        )


def main() -> None:
    given = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    if folder := given.get("--speed"):
        measure_speed(folder)
        return
    rows = load_rows()
    with TemporaryDirectory() as place:
        own = {f"{row.language}-{row.topic}": row.passage for row in rows}
        folder = write_folder(Path(place, "own"), own)
        for kind in ("near", "far"):
            measure(f"{kind}", folder, [query for _, query in query_rows(rows, kind)])
            for language in dict.fromkeys(row.language for row in rows):
                asked = [query for known, query in query_rows(rows, kind) if known == language]
                measure(f"{kind} {language}", folder, asked)
        for name, load in (("pubmedqa", load_pubmedqa), ("cosmosqa", load_cosmosqa)):
            if "--data" in given:
                documents, queries = load(Path(given["--data"]))
                measure(name, write_folder(Path(place, name), documents), queries)


if __name__ == "__main__":
    main()
