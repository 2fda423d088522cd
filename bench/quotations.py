"""How well quotations and figures of essays are found and verified, against labels.

Run ``python bench/quotations.py``; ``--errors`` shows what was got wrong in the ``developed`` rows.
The rows were written and labelled, in six scripts and twenty languages, by an author who had not
seen the code. It was written on the ``developed`` ones; those of ``held-out`` were read once when
it was finished (recall 0.989, 90 of 91; false alarms 0.014, 1 of 72), and two marks were then added
that they had shown to be missing.

Recall is the share of altered and missing ones of which moot says that they are one or the other. A
false alarm is one that is found, or no quotation at all, of which it says so; they are counted for
each found one. The interval of a share is the exact one of 95 %.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from moot.contrib.essays.quoting.quotation_check import check_quotations
from moot.contrib.essays.quoting.quotes import Quote, QuoteKind, QuoteState
from moot.core.events import Passage
from moot.statistics.intervals import clopper_pearson

ROWS = (
    Path(__file__).parent.parent / "tests" / "contrib" / "essays" / "quoting" / "quotations.jsonl"
)
FALSE = ("altered", "missing")


class LabelledQuote(msgspec.Struct, frozen=True):
    """What a reader says of a quotation or figure, and the passages that the essay names for it."""

    text: str
    kind: QuoteKind
    label: QuoteState
    named: tuple[int, ...]


class LabelledEssay(msgspec.Struct, frozen=True):
    """An essay with all its quotations and figures with a source, in order."""

    split: str
    id: str
    language: str
    passages: tuple[Passage, ...]
    essay: str
    quotes: tuple[LabelledQuote, ...]


def load_essays(split: str) -> list[LabelledEssay]:
    """Return the labelled essays of one split."""
    lines = ROWS.read_bytes().splitlines()
    essays = [msgspec.json.decode(line, type=LabelledEssay) for line in lines]
    return [each for each in essays if each.split == split]


def pair(essay: LabelledEssay) -> Iterator[tuple[LabelledQuote | None, Quote | None]]:
    """Yield each label with what moot read at its place, and each reading without a label."""
    at, left = 0, list(check_quotations(essay.essay, essay.passages))
    for label in essay.quotes:
        start = essay.essay.index(label.text, at)
        at = start + len(label.text)
        near = [q for q in left if q.start < at and q.start + len(q.text) > start]
        left = [q for q in left if q not in near]
        yield label, max(near, key=lambda q: len(q.text), default=None)
    yield from ((None, quote) for quote in left)


def count(split: str, *, errors: bool = False) -> Counter[tuple[str, str]]:
    """Count how often what is stated was read as what; print what was got wrong if asked to."""
    counts: Counter[tuple[str, str]] = Counter()
    for essay in load_essays(split):
        for label, quote in pair(essay):
            stated = label.label if label else "no quotation"
            read = quote.state if quote else "not told"
            counts[stated, read] += 1
            if errors and (stated in FALSE) != (read in FALSE):
                print(f"{essay.id}: {stated}, read as {read}: {label} {quote}")
    return counts


def shares(counts: Counter[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Return recall and false alarms: how many of how many."""
    told = Counter(stated for stated, read in counts.elements() if read in FALSE)
    stated = Counter(stated for stated, _ in counts.elements())
    caught = sum(told[each] for each in FALSE), sum(stated[each] for each in FALSE)
    return {
        "recall of false ones": caught,
        "false alarms": (told["found"] + told["no quotation"], stated["found"]),
    }


def main() -> None:
    for split in ("developed", "held-out"):
        counts = count(split, errors="--errors" in sys.argv and split == "developed")
        print(split)
        for (stated, read), number in sorted(counts.items()):
            print(f"  {stated:12}  read as {read:8} {number:4}")
        for name, (part, whole) in shares(counts).items():
            low, high = clopper_pearson(part, whole)
            print(f"  {name}: {part} of {whole} = {part / whole:.3f} [{low:.3f}-{high:.3f}]")


if __name__ == "__main__":
    main()
