"""How well moot reads ballots out of replies, labelled by a reader before moot read them.

Run ``python bench/ballots.py``; ``--errors`` shows what was misread of the ``developed`` rows, from
which the rules were made. Real replies are those of SmolLM2-135M-Instruct and
Qwen2.5-Coder-1.5B-Instruct to the prompt of the protocol ``ballot``, without a schema that would
hold them to JSON. Invented ones are in the styles of many models; those of ``held-out-invented``
were written and labelled before the reader in its present form, by its author, and those of ``held-
out-last`` after it was finished. A reply counts as right in a form when moot and the reader agree
on it; where both find nothing they agree. Thoughts between tags are taken off before, as on the
call path. The interval of a share is the exact one of 95 %.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from moot.core.questions import Kind, Question
from moot.core.thought import split_thought
from moot.parsing.ballot import FORMS, Ballot
from moot.parsing.ballots import parse_ballot
from moot.statistics.intervals import clopper_pearson

ROWS = Path(__file__).parent.parent / "tests" / "parsing" / "ballots.jsonl"


class BallotRow(msgspec.Struct, frozen=True):
    """One labelled reply: what it says of the answers, in each form."""

    id: str
    split: str
    model: str
    kind: Kind
    choices: tuple[str, ...]
    forms: str
    shown: dict[str, str]
    finished: bool
    reply: str
    vote: str | None
    ranking: tuple[str, ...]
    approved: tuple[str, ...]
    points: dict[str, int]
    scores: dict[str, float]

    @property
    def keys(self) -> tuple[str, ...]:
        """The forms that were asked for."""
        return FORMS if self.forms == "all" else tuple(self.forms.split(","))

    def read(self) -> Ballot:
        """Return what moot reads."""
        question = Question(id=self.id, kind=self.kind, text="", choices=self.choices)
        _, text = split_thought(self.reply)
        parsed = parse_ballot(text, question, self.finished, self.shown, keys=self.keys)
        return parsed.reading if isinstance(parsed.reading, Ballot) else Ballot()

    def wrong_forms(self) -> list[str]:
        """Return the forms in which moot and the reader do not agree."""
        found = self.read()
        return [form for form in FORMS if getattr(found, form) != getattr(self, form)]


def rows() -> list[BallotRow]:
    """Return all labelled replies."""
    return [msgspec.json.decode(line, type=BallotRow) for line in ROWS.read_bytes().splitlines()]


def measure(chosen: list[BallotRow]) -> Iterator[tuple[str, int, int, int]]:
    """Yield for each form, and for all, how many replies are right, how many, and how many say it.

    For a form, the replies that were asked for it; "all forms" are right where each form is.
    """
    for form in FORMS:
        asked = [row for row in chosen if row.forms == "all" or form in row.forms or form == "vote"]
        right = sum(form not in row.wrong_forms() for row in asked)
        if not asked:
            continue
        yield form, right, len(asked), sum(bool(getattr(row, form)) for row in asked)
    stated: Any = [row for row in chosen if any(getattr(row, form) for form in FORMS)]
    yield "all forms", sum(not row.wrong_forms() for row in chosen), len(chosen), len(stated)


def main() -> None:
    labelled = rows()
    for split in ("developed", "held-out", "held-out-invented", "held-out-last"):
        chosen = [row for row in labelled if row.split == split]
        if not chosen:
            continue
        print(f"{split}: {len(chosen)} replies")
        print(f"  {'form':10}{'n':>5}{'say it':>8}{'right':>7}   share right")
        for form, right, n, stated in measure(chosen):
            low, high = clopper_pearson(right, n)
            print(
                f"  {form:10}{n:>5}{stated:>8}{right:>7}   {right / n:.3f} ({low:.3f}-{high:.3f})"
            )
    if "--errors" in sys.argv:
        for row in labelled:
            if row.split == "developed" and (wrong := row.wrong_forms()):
                found = row.read()
                pairs = {form: (getattr(found, form), getattr(row, form)) for form in wrong}
                print(f"\n{row.id} {row.shown} {pairs}\n{row.reply[:300]}")


if __name__ == "__main__":
    main()
