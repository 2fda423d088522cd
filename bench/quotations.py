"""How well quotations and figures of essays are found and verified, against labels.

    python bench/quotations.py FILE...            counts and shares
    python bench/quotations.py FILE... --show     every item that was got wrong, too

A file has one essay in each line: its passages, its text, and its labelled quotations and figures.
Recall is the share of altered and missing ones that are told; a false alarm is a found one, or
something that is no quotation, that is told. Both with an interval of Clopper and Pearson.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from moot.core.passages import Passage, Quote
from moot.debate.quotation_check import check_quotations
from moot.statistics.intervals import clopper_pearson

FALSE = ("altered", "missing")


def match(essay: dict, labelled: list[dict], quotes: tuple[Quote, ...]) -> list[tuple]:
    """Return each label with the quote that overlaps it most, and each quote without a label."""
    at, left, pairs = 0, list(quotes), []
    for label in labelled:
        start = essay["essay"].index(label["text"], at)
        at = stop = start + len(label["text"])
        near = [q for q in left if q.start < stop and q.start + len(q.text) > start]
        best = max(
            near,
            key=lambda q: min(stop, q.start + len(q.text)) - max(start, q.start),
            default=None,
        )
        pairs.append((label, best))
        for each in near:
            left.remove(each)
    return [*pairs, *((None, each) for each in left)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="print what was got wrong")
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for path in given.files:
        for line in path.read_text(encoding="utf-8").splitlines():
            essay = json.loads(line)
            passages = [Passage(**each) for each in essay["passages"]]
            quotes = check_quotations(essay["essay"], passages)
            for label, quote in match(essay, essay["quotes"], quotes):
                stated = label["label"] if label else "no quotation"
                told = quote.state if quote else "not told"
                counts[stated, told] += 1
                wrong = (stated in FALSE) != (told in FALSE)
                if given.show and wrong:
                    said = label["text"] if label else quote.text
                    named = label["named"] if label else ""
                    print(f"{essay['id']}: {stated}, read as {told}: {said!r} {named} {quote}")
    for (stated, told), count in sorted(counts.items()):
        print(f"{stated:14} {told:10} {count:5}")
    false = sum(n for (stated, _), n in counts.items() if stated in FALSE)
    caught = sum(n for (s, t), n in counts.items() if s in FALSE and t in FALSE)
    true = sum(n for (stated, _), n in counts.items() if stated == "found")
    alarms = sum(n for (s, t), n in counts.items() if s not in FALSE and t in FALSE)
    for name, part, whole in (
        ("recall of false ones", caught, false),
        ("false alarms", alarms, true),
    ):
        low, high = clopper_pearson(part, whole)
        print(f"{name}: {part} of {whole} = {part / whole:.3f} [{low:.3f}-{high:.3f}]")


if __name__ == "__main__":
    main()
