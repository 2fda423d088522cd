"""Measuring one recorded debate by its stored transcript: nothing is called.

Of a secret question the store has no texts. Its transcript is measured twice, as it is and with
other texts, no two of them the same, where they were withheld: a value that comes out differently
depends on texts that are lost. If it was known it stays, and otherwise it is unknown.
"""

import re
from itertools import count
from typing import NamedTuple

from moot.core.errors import InputError
from moot.core.events import Transcript
from moot.core.named_values import NamedValues
from moot.core.questions import WITHHELD
from moot.core.stored import decode_transcript
from moot.ledger.stored_records import encode, parse_values
from moot.ledger.values import StoredDebate
from moot.metrics.metric import Metric, MetricPlan

_withheld = re.compile(rb'"%b"' % re.escape(WITHHELD).encode())


class MeasuredRecord(NamedTuple):
    """The values of a recorded debate.

    Attributes:
        before: those that are stored.
        after: those that were measured now.
        withheld: the names of those of them that stay as they were, for lack of texts.
    """

    before: NamedValues
    after: dict[str, float | None]
    withheld: tuple[str, ...] = ()


def measure_record(run: str, debate: StoredDebate, plan: MetricPlan) -> MeasuredRecord:
    """Measure a recorded debate.

    Args:
        run: the key of its run, for an error's text.
        debate: the debate.
        plan: the metrics.

    Raises:
        InputError: a metric fails.
        DamagedError: the record cannot be read.
    """
    transcript = decode_transcript(
        debate.transcript, f"run {run}: the transcript of debate {debate.number}"
    )
    before = parse_values(debate.values, f"run {run}: the values of {debate.number}")
    after = _measure(run, transcript, plan)
    if not transcript.question.secret:
        return MeasuredRecord(before, after)
    other, withheld = _measure(run, replace_withheld(transcript), plan), list[str]()
    for name in after.keys() | other.keys():
        if after.get(name) is None or after[name] != other.get(name):
            after[name] = before.get(name)
            withheld += [] if after[name] is None else [name]
    return MeasuredRecord(before, after, tuple(withheld))


def _measure(run: str, transcript: Transcript, plan: MetricPlan) -> dict[str, float | None]:
    """Return values by name. Raises ``InputError`` naming the metric that fails."""
    try:
        return plan.measure(transcript)
    except Exception as error:
        name = next((each.name for each in plan.metrics if _fails(each, transcript)), "of rounds")
        raise InputError(
            f"run {run}, question {transcript.question.id!r}: metric {name!r} fails: "
            f"{type(error).__name__}: {error}"
        ) from error


def _fails(metric: Metric, transcript: Transcript) -> bool:
    try:
        metric(transcript)
    except Exception:  # noqa: BLE001 -- a metric of a package may raise anything
        return True
    return False


def replace_withheld(transcript: Transcript) -> Transcript:
    """Return a transcript with other words, no two times the same, for all that was withheld."""
    numbers = count(1)
    other = _withheld.sub(lambda _: b'"something else, %d"' % next(numbers), encode(transcript))
    return decode_transcript(other, "a transcript without its texts")
