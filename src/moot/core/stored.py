"""What the store keeps of runs and debates, as it gives it back."""

from typing import Any, Literal, NamedTuple

import msgspec

from moot.core.calls import Sampling
from moot.core.events import Transcript

Status = Literal["running", "done", "stopped"]
"""``running`` until a run says otherwise: also after its process was killed."""

_transcript = msgspec.json.Decoder(Transcript).decode


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has paid for: the sum over the replies it was the first to record.

    Attributes:
        calls: the number of those replies.
        tokens: prompt and completion together; a count the endpoint did not give is 0.
        cost: in US dollars, of the replies whose price is known.
        unknown_cost_calls: the replies whose price is not.
    """

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    unknown_cost_calls: int = 0


class PastReply(NamedTuple):
    """A reply of the past, as far as it tells how large calls are.

    Attributes:
        model: the model of its call.
        sampling: how it was drawn.
        size: bytes of the request; 0 where the store does not have the whole of it.
        prompt_tokens: None where the endpoint did not tell.
        completion_tokens: likewise.
    """

    model: str
    sampling: Sampling
    size: int
    prompt_tokens: int | None
    completion_tokens: int | None


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One arm of a study: a protocol with every setting in force."""

    name: str
    protocol: str
    settings: dict[str, Any]


class StudyRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a study: enough to read its results without its file.

    Attributes:
        baseline: the arm the others are compared with, or None.
        simulated: the names of the arms in which no language model takes part.
        debates: how many it has; None where that was not kept.
    """

    name: str
    arms: tuple[Arm, ...]
    baseline: str | None
    simulated: tuple[str, ...] = ()
    debates: int | None = None


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a study.

    Attributes:
        id: its number in this store.
        key: its text id, unique in this store, e.g. ``"first-light-3f9a2c"``.
        name: the study's name.
        created: Unix seconds.
        study: the study as it was given to ``begin_run``.
    """

    id: int
    key: str
    name: str
    created: float
    status: Status
    study: bytes


class DebateRow(msgspec.Struct, frozen=True, kw_only=True):
    """One debate of a run.

    Attributes:
        question: the question's id.
        replicate: the study's repetition, from 0.
        failed: True when it ended without a verdict.
        values: metric values by name; None where a metric has none.
        encoded: the transcript as JSON.
    """

    run: int
    arm: str
    dataset: str
    question: str
    replicate: int
    failed: bool
    values: dict[str, float | None]
    encoded: bytes

    @property
    def transcript(self) -> Transcript:
        """The transcript, decoded anew each time it is asked for."""
        return _transcript(self.encoded)


class DebateValues(NamedTuple):
    """The metric values of one debate, without its transcript; see ``DebateRow``."""

    arm: str
    dataset: str
    question: str
    replicate: int
    failed: bool
    values: dict[str, float | None]
