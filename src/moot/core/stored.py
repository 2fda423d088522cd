"""Runs and debates as the store returns them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from moot.core.calls import Sampling
from moot.core.errors import DamagedError
from moot.core.events import ELSEWHERE, Opened, Transcript
from moot.core.old_transcripts import upgrade_transcript
from moot.core.questions import Question
from moot.core.readings import decode_reading

T = TypeVar("T")

Status = Literal["running", "done", "stopped"]
"""The stored status of a run; ``RunRow.status`` says whether one still runs."""

_LAST = 253_402_300_800  # Unix seconds of the year 10000, which no calendar here goes beyond
_transcript = msgspec.json.Decoder(Transcript, dec_hook=decode_reading).decode


def decode_record(decode: Callable[[bytes], T], record: Any, what: str) -> T:  # noqa: ANN401  see below
    """Decode a record of the store, which may be damaged.

    Args:
        decode: for a sound record.
        record: as it was stored; of a damaged file it may be of any type.
        what: which record it is, for the error's text.

    Raises:
        DamagedError: it cannot be decoded.
    """
    try:
        return decode(record)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise DamagedError(what, f"it cannot be read ({error or type(error).__name__})") from None


def decode_transcript(record: Any, what: str) -> Transcript:  # noqa: ANN401  as above
    """Return the transcript of a debate from its JSON, brought to today's format.

    Raises:
        DamagedError: the record is no transcript.
    """
    transcript = decode_record(_transcript, record, what)
    if not transcript.events or not isinstance(transcript.events[0], Opened):
        raise DamagedError(what, "its first event is missing")
    return upgrade_transcript(transcript)


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One process that pays with a store, from its first run to the moment it closes the store.

    Host and process number are for people. Whether a session lives is told by a lock that the
    operating system frees when the process ends: hosts may share a name, and numbers are reused.

    Attributes:
        id: its number in this store, never used again.
        host: the name of its host.
        pid: the number of its process on that host.
        started: Unix seconds.
    """

    id: int
    host: str
    pid: int
    started: float

    @property
    def process(self) -> str:
        """The process in words: ``process 4711 on host lab``."""
        return f"process {self.pid} on host {self.host}"

    @property
    def since(self) -> str:
        """When it began, in local time: ``2026-11-22 23:58:12``."""
        return f"{datetime.fromtimestamp(self.started).astimezone():%Y-%m-%d %H:%M:%S}"


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


class Amount(NamedTuple):
    """Calls, tokens and US dollars."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def add(self, other: "Amount", times: float = 1) -> "Amount":
        """This and so many times the other."""
        return Amount(
            self.calls + int(times * other.calls),
            self.tokens + int(times * other.tokens),
            self.cost + times * other.cost,
        )

    def is_within(self, other: "Amount") -> bool:
        """Whether nothing of this is more than the other has; cents that rounding took are not."""
        return (
            self.calls <= other.calls
            and self.tokens <= other.tokens
            and self.cost <= other.cost + 1e-9 * max(1.0, abs(other.cost))
        )

    def maximum(self, other: "Amount") -> "Amount":
        """Of each the larger one."""
        return Amount(
            max(self.calls, other.calls),
            max(self.tokens, other.tokens),
            max(self.cost, other.cost),
        )

    def without_negatives(self) -> "Amount":
        """The same, with 0 where it is negative."""
        return self.maximum(Amount())


Pricing = Callable[[str, int, int], float]
"""US dollars for a reply of this model, with so many prompt and completion tokens."""


class BudgetTerms(NamedTuple):
    """What sessions share that spend the same budget.

    Attributes:
        budget: by which the store knows it.
        calls: the cap on calls; None for none.
        tokens: the cap on tokens; None for none.
        cost: the cap in US dollars; None for none.
        runs: whose replies count; none where only those count that its leases paid for.
        period: the seconds over which it counts, back from now; None: for ever.
        price: of replies whose cost is not recorded.
    """

    budget: str
    calls: int | None
    tokens: int | None
    cost: float | None
    runs: tuple[int, ...] = ()
    period: float | None = None
    price: Pricing = lambda *_: 0.0


class LeaseAnswer(NamedTuple):
    """What a store answers a session that asks for more of a budget.

    Attributes:
        granted: what it may spend besides what it may already; None: nothing now.
        spent: of the budget so far, by all sessions, as far as their replies are recorded, and
            what counts as spent because its session ended in the middle of it.
        lost: the calls of which that is so.
        elsewhere: whether another session has a part that it has not spent.
        wait: seconds until something is free again; 0 where nothing will be by itself.
    """

    granted: Amount | None
    spent: Amount
    lost: int = 0
    elsewhere: bool = False
    wait: float = 0.0


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


class Arm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One arm of a study: a protocol with every setting in force.

    Attributes:
        prompts: where prompts are a factor of the study, the arm's file of prompts relative to the
            study's folder, or ``"ours"`` for moot's own alone; else empty.
        kind: of an arm recorded elsewhere, what it is in comparisons: ``"debate"``, ``"vote"``,
            ``"single"``, or ``"rule"`` for debates decided by another rule; empty for the kind of
            its protocol.
    """

    name: str
    protocol: str
    settings: dict[str, Any]
    prompts: str = ""
    kind: str = ""

    @property
    def factors(self) -> dict[str, Any]:
        """Everything in which an arm can differ from others of its protocol, by name."""
        return {**self.settings, "prompts": self.prompts} if self.prompts else self.settings


class StopRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The looks of a sequential study at its questions, and when a method is settled.

    Attributes:
        margin: the greatest difference that counts as equal, above 0 and below 1; 0.05 is 5 points.
        alpha: the share of studies in which any method may be called what it is not.
        block: questions of a dataset between two looks, 1 or more.
        seed: of the order of the questions, 0 or more.
        methods: names of the arms that are compared with a vote; none for all debates, and in a
            study without one for all methods that are no votes or single replies.
    """

    margin: float = 0.05
    alpha: float = 0.05
    block: int = 20
    seed: int = 0
    methods: tuple[str, ...] = ()


class SequentialTerms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The terms of a sequential study, from which a store finds its statement again.

    Attributes:
        rule: of the study.
        order: the ids of each dataset's questions, in the drawn order, equal ones once.
        pools: by the name of each method's arm, the arm of its vote.
        replicates: of each question.
        given: questions, equal ones included.
        file_sha256: of the file that they are from; None where they are a dataset's.
    """

    rule: StopRule
    order: dict[str, tuple[str, ...]]
    pools: dict[str, str]
    replicates: int = 1
    given: int = 0
    file_sha256: str | None = None


class StudyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A study as it is kept: enough to read its results without its file.

    Attributes:
        baseline: the arm the others are compared with, or None.
        simulated: the names of the arms in which no language model takes part.
        debates: how many it has; None where that was not kept.
        analyses: names of the analyses that ``moot report`` writes of its runs.
        question: of a debate that was asked for by itself, what is debated, so that one that was
            interrupted can go on; unset in a study's run, and in one of an older moot.
        prompts: the file of prompts laid over moot's own in such a debate.
        source: the name of the log of debates recorded elsewhere; unset for moot's own.
        sequential: how its questions are looked at; unset for a study of fixed size.
        cap: that ended the run last, such as ``30 calls``; unset where none did.
    """

    name: str
    arms: tuple[Arm, ...]
    baseline: str | None
    simulated: tuple[str, ...] = ()
    debates: int | None = None
    analyses: tuple[str, ...] = ()
    question: Question | msgspec.UnsetType = msgspec.UNSET
    prompts: str | msgspec.UnsetType = msgspec.UNSET
    source: str | msgspec.UnsetType = msgspec.UNSET
    sequential: SequentialTerms | msgspec.UnsetType = msgspec.UNSET
    cap: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def origin(self) -> str:
        """Where its debates were recorded, in words; empty for moot's own."""
        return f"{ELSEWHERE}: {self.source}" if self.source else ""


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a study.

    Attributes:
        id: its number in this store.
        key: its text id, unique in this store, e.g. ``"first-light-3f9a2c"``.
        name: the study's name.
        created: Unix seconds.
        status: ``running`` only while a process runs it. One whose process is gone is stopped; of
            one that an older moot began it is not known whether its process is gone.
        study: the study as it was given to ``begin_run``, or at the end of the run.
        session: the session that is running it now, where it is known.
    """

    id: int
    key: str
    name: str
    created: Annotated[float, msgspec.Meta(ge=0, lt=_LAST)]
    status: Status
    study: bytes
    session: Session | None = None

    @property
    def described_status(self) -> str:
        """The status in words: ``running (process 4711 on host lab)``.

        Where a cap has stopped it, that too: ``stopped at the cap of 30 calls``.
        """
        if self.session is not None:
            return f"{self.status} ({self.session.process})"
        cap = decode_study(self).cap if self.status == "stopped" else ""
        return f"{self.status} at the cap of {cap}" if cap else self.status


_study = msgspec.json.Decoder(StudyRow).decode


def decode_study(row: RunRow) -> StudyRow:
    """What the store keeps of a run's study. Raises ``DamagedError`` where that is not readable."""
    return decode_record(_study, row.study, f"the study of run {row.key}")


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
    values: Mapping[str, float | None]
    encoded: bytes

    @property
    def transcript(self) -> Transcript:
        """The transcript, decoded anew each time. Raises ``DamagedError`` where it is none."""
        return decode_transcript(self.encoded, self.described)

    @property
    def described(self) -> str:
        """Which transcript it is, in words."""
        return describe_transcript(self.arm, self.dataset, self.question, self.replicate)


def describe_transcript(arm: str, dataset: str, question: str, replicate: int) -> str:
    """Which transcript is meant, in words."""
    return f"the transcript of question {question!r} of {dataset}, arm {arm!r}, {replicate = }"


class DebateOrigin(NamedTuple):
    """What a debate and its metric values depend on, as digests; None where that is not known.

    Attributes:
        made_by: of all that its transcript depends on: question, settings, prompts, code.
        measured_by: those of the code of the metrics that have measured it.
    """

    made_by: bytes | None
    measured_by: bytes | None


class DebateValues(NamedTuple):
    """The metric values of one debate, without its transcript; see ``DebateRow``."""

    arm: str
    dataset: str
    question: str
    replicate: int
    failed: bool
    values: Mapping[str, float | None]
