"""Confidences in replies: every scale, and odd replies at every position."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.questions import Kind, Question
from moot.core.thought import split_thought
from moot.parsing.confidence import CONFIDENCE_PARSERS, read_confidence
from moot.parsing.parser import registry


class ConfidenceRow(msgspec.Struct, frozen=True):
    id: str
    split: str
    scale: str
    kind: Kind
    choices: tuple[str, ...]
    finished: bool
    reply: str
    confidence: float | None
    answer: str | None

    def is_right(self) -> bool:
        question = Question(id=self.id, kind=self.kind, text="?", choices=self.choices)
        parse = registry.get(CONFIDENCE_PARSERS[self.scale])
        parsed = parse(split_thought(self.reply)[1], question, self.finished)
        found = getattr(parsed.reading, "confidence", None)
        stated = found is not None and self.confidence is not None
        alike = abs(found - self.confidence) < 1e-9 if stated else found is self.confidence
        return alike and parsed.answer == self.answer


LINES = (Path(__file__).parent / "confidences.jsonl").read_bytes().splitlines()
ROWS = [msgspec.json.decode(line, type=ConfidenceRow) for line in LINES]
SHARES = {"developed": 0.97, "held-out": 0.97, "held-out-last": 0.94}


@pytest.mark.parametrize(("split", "share"), SHARES.items())
def test_moot_reads_what_a_reader_reads(split, share):
    """See bench/confidences.py for where the replies come from."""
    rows = [row for row in ROWS if row.split == split]
    assert len(rows) >= 60
    assert sum(row.is_right() for row in rows) / len(rows) >= share


@pytest.mark.parametrize(
    ("scale", "said", "read"),
    [
        ("unit", "82%", 0.82), ("unit", ".82", 0.82), ("unit", "0,82", 0.82), ("unit", "82", None),
        ("unit", "8/10", 0.8), ("unit", "about 0.7", 0.7), ("percent", "82", 0.82),
        ("percent", "82 percent", 0.82), ("percent", "8 out of 10", 0.8),
        ("percent", "80-90%", None), ("percent", "120%", None), ("percent", "**75%**", 0.75),
        ("ten", "8", 0.8), ("ten", "11", None), ("ten", "8/10", 0.8),
        ("words", "Very likely.", 0.9), ("words", "almost certain, since I counted", 0.95),
        ("words", "pretty sure", None), ("words", "no idea", None),
        ("words", "100 % not sure", None),
        # What goes on is no shorter value.
        ("unit", "3/4", 0.75), ("unit", "three quarters", 0.75), ("unit", "one half", 0.5),
        ("ten", "seven and a half", 0.75), ("percent", "one hundred", 1.0),
        ("percent", "one hundred percent", 1.0), ("percent", "eighty-five", 0.85),
        ("percent", "seventy to eighty", None), ("percent", "1,000", None), ("ten", "7 1/2", None),
        ("ten", "7±1", None), ("percent", "80^2", None), ("percent", "80k", None),
        ("percent", "9\\pi", None),
    ],
)  # fmt: skip
def test_each_form(scale, said, read):
    for before in ("Final answer: 4", "Answer: B"):
        found, _ = read_confidence(f"{before}\nConfidence: {said}", scale, finished=True)
        value = found and found.confidence
        assert value == (read if read is None else pytest.approx(read))


ODD = st.sampled_from(["82%", ".82", "8/10", "pretty sure", "100 % not sure", "80-90%", "", "8/0"])


@given(ODD, ODD, st.text(max_size=40), st.sampled_from(["unit", "percent", "ten", "words"]))
def test_no_odd_reply_gives_a_number_out_of_range(one, other, noise, scale):
    places = [f"Confidence: {one}", noise, f"Final answer: 4\nConfidence: {other}"]
    for finished in (True, False):
        found, _ = read_confidence("\n".join(places), scale, finished=finished)
        assert found is None or found.confidence is None or 0 <= found.confidence <= 1
