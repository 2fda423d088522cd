"""Match rulings: which of two sides a juror finds to have debated better, and by how much."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from moot import Parsed, Question, Reading, parser
from moot.contrib.review.grades import REASONS, Heard
from moot.extend.protocols import load_json, object_schema, read_mark, split_words

LABELS = "A", "B"
"""The labels of the two sides; the side under the first is shown first."""
TIE = "tie"
"""The winner of a debate that no side has won."""
MOST_MARGIN = 5.0
"""The greatest margin."""
TOP = 5
"""The best grade."""
CRITERIA = "reasons", "evidence", "answers"
"""What the prompt asks grades for; a ruling keeps those of any other criterion, too."""


class MatchRuling(Reading, frozen=True, kw_only=True, tag="match-ruling"):
    """A juror's ruling on a debate of two sides.

    Attributes:
        winner: the side that it finds to have debated better, by its name, not its label;
            ``"tie"`` for neither.
        margin: by how much, from 0 to 5; 0 for a tie.
        first: the name of the side that it was shown first; empty where a log does not say.
        decisive: what decided, in its words.
        grades: of each side by criterion, each a whole number from 1 to 5.
    """

    winner: str
    margin: float
    first: str = ""
    decisive: str = ""
    grades: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)

    def margin_of(self, side: str) -> float:
        """Return the margin towards a side: below 0 where the other one won, 0 for a tie."""
        return 0.0 if self.winner == TIE else self.margin if self.winner == side else -self.margin

    @property
    def summary(self) -> str:
        """The winner, the margin and what decided, as Markdown."""
        won = "A tie" if self.winner == TIE else f"{self.winner} by {self.margin:g} of 5"
        return f"**{won}.** {self.decisive}".strip()

    def in_words(self) -> str:
        """Return the summary, the side that was shown first, and the grades, as Markdown."""
        lines = [self.summary, *([f"Shown first: {self.first}."] if self.first else [])]
        for side, marks in self.grades.items():
            lines.append(f"{side}: " + ", ".join(f"{name} {mark}" for name, mark in marks.items()))
        return "\n\n".join(lines)


def match_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a match ruling, for models that follow one."""
    grade = {"type": "integer", "minimum": 1, "maximum": TOP}
    marks = object_schema(dict.fromkeys(CRITERIA, grade))
    return object_schema(
        {
            "decisive": {"type": "string"},
            "grades": object_schema(dict.fromkeys(LABELS, marks)),
            "winner": {"type": "string", "enum": [*LABELS, TIE]},
            "margin": {"type": "number", "minimum": 0, "maximum": MOST_MARGIN},
        }
    )


@parser(reading=MatchRuling, schema=match_schema, gives="ruling")
def parse_match_ruling(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:
    """Read JSON with a winner ("A", "B" or "tie"), a margin from 0 to 5, and what decided.

    The last such object counts. A reply without a winner has no ruling, and neither has one that
    names a winner without a margin from 0 to 5: nothing is guessed. A tie needs no margin. The
    answers of ``heard`` are the names of the sides, by their labels.
    """
    starts = list(_OBJECT.finditer(text))
    loaded = load_json(text[starts[-1].start() :], _OBJECT, finished=finished) if starts else None
    if not isinstance(loaded, dict):
        return Parsed(None)
    fields = {str(key).strip().casefold(): value for key, value in loaded.items()}
    label = _read_label(fields.get("winner"))
    margin = read_mark(fields.get("margin"), MOST_MARGIN, low=0)
    if label is None or (label != TIE and margin is None):
        return Parsed(None)
    names = {each: (heard or {}).get(each) or each for each in LABELS}
    said = next((fields[key] for key in fields if split_words(key) & {"decisive", *REASONS}), "")
    ruling = MatchRuling(
        winner=names.get(label, TIE),
        margin=0.0 if label == TIE else margin or 0.0,
        first=names[LABELS[0]],
        decisive=said.strip() if isinstance(said, str) else "",
        grades=_read_grades(fields.get("grades"), names),
    )
    return Parsed(None, ruling)


_OBJECT = re.compile(r"\{(?=\s*[\"'“]?(?:decisive|grades|winner|margin|reason)\b)", re.IGNORECASE)
_NOUNS = {"side", "the", "debater"}
_NEITHER = {"tie", "tied", "draw", "neither", "none"}


def _read_label(value: object) -> str | None:
    """Return the label of the winner, or ``"tie"``; None for anything else."""
    words = split_words(value) - _NOUNS if isinstance(value, str) else set()
    if words and words <= _NEITHER:
        return TIE
    named = [label for label in LABELS if words == {label.casefold()}]
    return named[0] if named else None


def _read_grades(value: object, names: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return the grades by the names of the sides; what is no whole number from 1 to 5 is left."""
    found: dict[str, dict[str, int]] = {}
    for key, marks in value.items() if isinstance(value, dict) else ():
        label = _read_label(key)
        if label is not None and label in names and isinstance(marks, dict):
            own = {str(name).strip().casefold(): mark for name, mark in marks.items()}
            read = {name: read_mark(mark, TOP) for name, mark in own.items()}
            good = {
                name: int(mark)
                for name, mark in read.items()
                if mark is not None and mark.is_integer()
            }
            found |= {names[label]: good} if good else {}
    return found
