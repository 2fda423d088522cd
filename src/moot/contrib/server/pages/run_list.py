"""The list of runs: a line for each, kept in memory, to filter, sort and page through."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from moot.contrib.server.pages.listing import decode_question
from moot.contrib.server.pages.page_rendering import run_url
from moot.extend.faults import DamagedError
from moot.extend.protocols import models_in
from moot.extend.records import RunRow, StudyRow, decode_study, decode_transcript
from moot.extend.stores import StoreReader
from moot.extend.studies import QuestionPlan
from moot.extend.words import natural_sort_key, on_one_line

STATES = ("all", "running", "done", "stopped")
"""The filters by state; ``stopped`` is any run that is neither done nor running."""
ORDERS: dict[str, Callable[["RunLine"], tuple[object, ...]]] = {
    "newest": lambda line: (-line.id,),
    "oldest": lambda line: (line.id,),
    "dearest": lambda line: (-(line.paid or 0.0), -line.id),
    "largest": lambda line: (-line.debates, -line.id),
    "name": lambda line: (natural_sort_key(line.title.lower()), -line.id),
}
"""The orders of the list, by their names."""
SUGGESTED = 5
"""The most runs that are named where another is not there."""
RULE = "rule"
"""The kind of a method that is the debates of another, decided by another rule."""

_ALIKE = 0.6  # of two names, from 0 to 1
_AT_ONCE = 500
_LONG = 40_000  # bytes of a transcript that is decoded for a list
_TEXT = 300  # characters of a question that are kept


class RunLine(NamedTuple):
    """One run in the list.

    Attributes:
        id: its number in the store.
        key: its key.
        name: of its study.
        created: Unix seconds.
        status: ``running``, ``done`` or ``stopped``.
        single: whether it is one question, not a study.
        title: the question, or the name of the study.
        given: the verdict of a single question; empty where there is none.
        failed: whether that debate failed.
        way: the protocol of a single question, or the arms.
        models: of its agents, each once.
        paid: US dollars; None if a price is unknown.
        debates: the number of recorded debates.
        total: the number that it will have; None if unknown.
        origin: where it was recorded, ``simulated``, ``partly simulated``, or empty.
        rules: the methods that are the debates of others decided by another rule; pages show them
            only where they are asked for.
    """

    id: int
    key: str
    name: str
    created: float
    status: str
    single: bool
    title: str
    given: str
    failed: bool
    way: str
    models: tuple[str, ...]
    paid: float | None
    debates: int
    total: int | None
    origin: str
    rules: int = 0


class RunChoice(NamedTuple):
    """The runs that a list shows, and their order.

    Attributes:
        single: single questions, not studies.
        state: one of ``STATES``.
        text: that a line must contain; empty for any.
        order: one of ``ORDERS``.
    """

    single: bool = False
    state: str = "all"
    text: str = ""
    order: str = "newest"


class RunList:
    """The lines of all runs of a store; only what has changed is read again."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, RunLine]] = {}

    def refresh(self, reader: StoreReader) -> None:
        """Read the runs that are new, that changed, and that are running."""
        sizes = reader.run_sizes()
        stale = [run for run, size in sizes.items() if self._is_stale(run, size)]
        known = {run: each for run, each in self._known.items() if run in sizes}
        for start in range(0, len(stale), _AT_ONCE):
            numbers = stale[start : start + _AT_ONCE]
            debates = {number: sizes[number].debates for number in numbers}
            for line in _read_lines(reader, numbers, debates):
                known[line.id] = sizes[line.id], line
        self._known = known

    def choose(self, choice: RunChoice) -> list[RunLine]:
        """Return the lines of a choice, in its order."""
        words = choice.text.lower()
        found = [
            line
            for _, line in self._known.values()
            if line.single == choice.single
            and choice.state in {"all", line.status}
            and (not words or words in _join_texts(line))
        ]
        return sorted(found, key=ORDERS[choice.order])

    def counts(self, choice: RunChoice) -> dict[str, int]:
        """Return the number of runs of each of ``STATES``."""
        return {state: len(self.choose(choice._replace(state=state))) for state in STATES}

    def _is_stale(self, run: int, size: object) -> bool:
        known = self._known.get(run)
        return known is None or known[0] != size or known[1].status == "running"


def _read_lines(
    reader: StoreReader, numbers: Sequence[int], debates: Mapping[int, int]
) -> Iterable[RunLine]:
    rows = reader.runs_of(numbers)
    single = [row.id for row in rows if row.name == QuestionPlan.STUDY]
    texts = reader.newest_transcripts(single, most=_LONG)
    paid = reader.sum_paid(numbers)
    for row in rows:
        try:
            study = decode_study(row)
            speak = [models_in(arm.settings) for arm in study.arms if "model" in arm.settings]
            models = tuple(dict.fromkeys(name for names in speak for name in names))
        except DamagedError:  # its own page says what is wrong
            study, models = StudyRow(name=row.name, arms=(), baseline=None), ()
        title, given, failed = row.name, "", False
        is_single = row.name == QuestionPlan.STUDY
        if is_single:
            title, given, failed = _read_question(reader, row, texts.get(row.id))
        shown = [arm for arm in study.arms if arm.kind != RULE]
        protocols = [arm.protocol if is_single else arm.name for arm in shown]
        yield RunLine(
            id=row.id,
            key=row.key,
            name=row.name,
            created=row.created,
            status=row.status,
            single=is_single,
            title=title,
            given=given,
            failed=failed,
            way=", ".join(dict.fromkeys(protocols[:4])) + " …" * (len(protocols) > 4),
            models=models,
            paid=paid.get(row.id, None if study.source else 0.0),
            debates=debates[row.id],
            total=study.debates,
            rules=len(study.arms) - len(shown),
            origin=label_origin(study),
        )


def _read_question(
    reader: StoreReader, row: RunRow, encoded: bytes | None
) -> tuple[str, str, bool]:
    """Return the question of a run, its verdict, and whether it failed.

    Of a debate that did not end, nothing but its calls is recorded: its first prompt stands for
    the question.
    """
    if encoded is None:
        call = reader.first_call(row.id)
        prompt = call.messages[-1].content if call and call.messages else ""
        return on_one_line(prompt, _TEXT), "", False
    try:
        transcript = decode_transcript(encoded, "a transcript")
    except DamagedError:  # it is long, or damaged: its own page tells
        return on_one_line(decode_question(encoded), _TEXT), "", False
    verdict = transcript.verdict
    answer = (verdict and verdict.answer) or ""
    return (
        on_one_line(transcript.question.text, _TEXT),
        on_one_line(answer, _TEXT),
        transcript.failed is not None,
    )


def suggest_runs(listed: RunList, name: str) -> dict[str, str]:
    """Return studies, else questions, whose name or key is like one not there, else the newest.

    Args:
        listed: all runs.
        name: that is not there.

    Returns:
        Their names and keys by the URLs of their pages.
    """
    lines = listed.choose(RunChoice()) or listed.choose(RunChoice(single=True))

    def likeness(line: RunLine) -> float:
        texts = line.name.lower(), line.key.lower()
        return max(SequenceMatcher(None, name.lower(), text).ratio() for text in texts)

    alike = sorted(lines[:_AT_ONCE], key=likeness, reverse=True)[:SUGGESTED]
    found = [line for line in alike if likeness(line) >= _ALIKE] or lines[:SUGGESTED]
    return {run_url(line.key): f"{line.title} ({line.key})" for line in found}


def label_origin(study: StudyRow) -> str:
    """Return the source of an imported run, and whether it is simulated; may be empty."""
    whole = len(study.simulated) == len(study.arms)
    simulated = ("simulated" if whole else "partly simulated") if study.simulated else ""
    return ", ".join(filter(None, (study.origin, simulated)))


def _join_texts(line: RunLine) -> str:
    return "\n".join((line.title, line.given, line.key, line.way, *line.models)).lower()
