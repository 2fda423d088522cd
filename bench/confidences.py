"""How well moot reads stated confidences out of replies, labelled before moot read them.

Run ``python bench/confidences.py``; ``--errors`` shows what was misread of the part that the reader
was made from. All replies are invented, in the styles of many models, and labelled by the language
model that wrote the reader: those of ``held-out`` before, ``held-out-last`` after it. A reply
counts as right where moot and the label agree on the confidence; where both find none they agree.
Thoughts between tags are taken off before, as on the call path. The interval of a share is the
exact one of 95 %.
"""

import sys
from pathlib import Path

import msgspec

from moot.core.questions import Kind, Question
from moot.core.thought import split_thought
from moot.parsing.confidence import CONFIDENCE_PARSERS
from moot.parsing.parser import registry
from moot.statistics.intervals import clopper_pearson

ROWS = Path(__file__).parent.parent / "tests" / "parsing" / "confidences.jsonl"


class ConfidenceRow(msgspec.Struct, frozen=True):
    """One labelled reply: how sure it says it is, and its answer."""

    id: str
    split: str
    scale: str
    kind: Kind
    choices: tuple[str, ...]
    finished: bool
    reply: str
    confidence: float | None
    answer: str | None

    def read(self) -> tuple[float | None, str | None]:
        """Return the confidence and the answer that moot reads."""
        question = Question(id=self.id, kind=self.kind, text="?", choices=self.choices)
        _, text = split_thought(self.reply)
        parsed = registry.get(CONFIDENCE_PARSERS[self.scale])(text, question, self.finished, None)
        return getattr(parsed.reading, "confidence", None), parsed.answer

    def is_right(self) -> bool:
        """Return whether the confidence is read as it is labelled."""
        found = self.read()[0]
        if found is None or self.confidence is None:
            return found is self.confidence
        return abs(found - self.confidence) < 1e-9


def main():
    rows = [
        msgspec.json.decode(line, type=ConfidenceRow) for line in ROWS.read_bytes().splitlines()
    ]
    for split in ("developed", "held-out", "held-out-last"):
        chosen = [row for row in rows if row.split == split]
        answered = sum(row.read()[1] == row.answer for row in chosen)
        for name, right in (
            ("confidence", sum(row.is_right() for row in chosen)),
            ("answer beside it", answered),
        ):
            low, high = clopper_pearson(right, len(chosen))
            share = f"{right / len(chosen):.3f} ({low:.3f}-{high:.3f})"
            print(f"{split:14} {name:18} {right:>4} of {len(chosen)}   {share}")
    if "--errors" in sys.argv:
        for row in rows:
            found, answer = row.read()
            if row.split == "developed" and not (row.is_right() and answer == row.answer):
                print(f"\n{row.id} {row.scale}: {found}, {answer}; {row.confidence}, {row.answer}")
                print(row.reply)


if __name__ == "__main__":
    main()
