"""A log becomes a run: read once to see what it has, and once to store its debates.

The run's key has the digest of the log: the same log imported again is the same run. Nothing is
stored before the first reading has found no fault, so that a damaged file leaves no run.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b

import msgspec

from moot import InputError
from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.log_files import Log, Note
from moot.contrib.imports.log_format import LogFormat, Unread
from moot.contrib.imports.log_survey import SHOWN, LogSurvey
from moot.contrib.imports.logged_questions import QuestionKind
from moot.contrib.imports.transcripts import ImportedDebate, make_transcript
from moot.extend.calls import collect_seldom
from moot.extend.records import Kind, RunRow, StudyRow
from moot.extend.studies import Lab

_VERSION = b"1"
"""Of what an import makes of a log; another one makes another run."""
_PIECE = 1 << 20
_LONGEST = 40
_SMALL = 32 << 20


class ImportedRun(msgspec.Struct, kw_only=True):
    """The result of an import.

    Attributes:
        run: the key of the run.
        name: the name of the run.
        source: the log's name, as every output has it.
        format: the format that the log was read in.
        is_known: whether the store had the run already; nothing was read again.
        kinds: what the questions of each dataset are.
        questions: their number.
        debates: their number.
        failed: debates of which the log states an error.
        turns: their number.
        read: turns whose answer moot's reader reads, of those that should have one.
        unread_answers: those of them in which it reads none.
        stated: turns whose answer the log states.
        verdicts: debates whose verdict the log states.
        unknown_reads: turns of which the log does not show whom they read.
        unanswered: debates without a known right answer.
        odd: the right answers that are none of the question's kind, the first of them.
        odd_answers: the number of all of these.
        merged: settings in which debates of one arm differ, as there are too many values.
        repeated: debates of one question that became further replicates.
        arms: by name, in order.
        rules: those of them that are the debates of another, decided by another rule.
        baseline: the arm that others are compared with; None without one.
        unread: parts of the log that could not be read, the first of them.
        unread_parts: the number of all of these.
        notes: what else was odd in the log.
    """

    run: str
    name: str
    source: str
    format: str
    is_known: bool = False
    kinds: dict[str, QuestionKind] = {}
    questions: int = 0
    debates: int = 0
    failed: int = 0
    turns: int = 0
    read: int = 0
    unread_answers: int = 0
    stated: int = 0
    verdicts: int = 0
    unknown_reads: int = 0
    unanswered: int = 0
    odd: list[Unread] = []
    odd_answers: int = 0
    merged: tuple[str, ...] = ()
    repeated: int = 0
    arms: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    baseline: str | None = None
    unread: list[Unread] = []
    unread_parts: int = 0
    notes: list[Note] = []


async def import_log(
    lab: Lab,
    log: Log,
    form: LogFormat,
    *,
    name: str | None = None,
    source: str | None = None,
    kind: Kind | None = None,
) -> ImportedRun:
    """Make a run of a log.

    Args:
        lab: with the store, open for writing.
        log: the log.
        form: its format.
        name: of the run; the log's if not given.
        source: the name of the log in every output; its own if not given.
        kind: of all questions; found from the log if not given.

    Raises:
        InputError: a file of the log is damaged, or no debate can be read.
        RunBusy: another process imports the same log now.
        StoreError: the run cannot be written.
    """
    with collect_seldom():
        return await _import_log(lab, log, form, name, source, kind)


async def _import_log(
    lab: Lab, log: Log, form: LogFormat, name: str | None, source: str | None, kind: Kind | None
) -> ImportedRun:
    survey = LogSurvey(kind)
    debates = survey.keep_sound(form.read(log))
    kept = [*debates] if _is_small(log) else None
    survey.read(kept or debates)
    if not survey.debates:
        reasons = "".join(f"\n  {each.place}: {each.why}" for each in survey.unread)
        raise InputError(f"{log.path}: no debate could be read{reasons}")
    survey.place_methods()
    name, source = name or log.name, source or log.name
    run = f"{_make_slug(name)}-{digest_log(log, form, kind)}"
    found = _describe(survey, run=run, name=name, source=source, form=form, notes=log.notes)
    if any(row.status == "done" for row in lab.store.runs("WHERE key = ?", found.run)):
        found.is_known = True
        return found
    study = StudyRow(
        name=name,
        arms=tuple(survey.arms),
        baseline=survey.baseline,
        simulated=survey.simulated,
        source=source,
    )
    row = await lab.begin_run(found.run, name, msgspec.json.encode(study))
    try:
        await _Import(lab, row, survey, found).store_all(
            kept or LogSurvey().keep_sound(form.read(log))
        )
        await lab.store.flush()
    except BaseException:
        lab.store.set_status(row.id, "stopped", wait=False)
        raise
    lab.store.set_status(row.id, "done")
    return found


def _describe(
    survey: LogSurvey, *, run: str, name: str, source: str, form: LogFormat, notes: list[Note]
) -> ImportedRun:
    """Return the result of an import whose log was read once."""
    return ImportedRun(
        run=run,
        name=name,
        source=source,
        format=form.name,
        kinds=survey.find_kinds(),
        questions=survey.questions,
        debates=survey.debates,
        turns=survey.turns,
        stated=survey.stated,
        arms=tuple(arm.name for arm in survey.arms),
        merged=tuple(survey.dropped),
        rules=tuple(arm.name for arm in survey.arms if arm.kind == "rule"),
        baseline=survey.baseline,
        unread=survey.unread,
        unread_parts=survey.unread_parts,
        notes=notes,
    )


class _Import:
    """The second reading of a log, which stores its debates."""

    def __init__(self, lab: Lab, row: RunRow, survey: LogSurvey, found: ImportedRun) -> None:
        self._lab, self._row, self._survey, self._found = lab, row, survey, found
        self._seen = set[int]()

    async def store_all(self, debates: Iterable[LoggedDebate]) -> None:
        """Store every debate, and what follows from it."""
        for debate in debates:
            await self._store(debate)

    async def _store(self, debate: LoggedDebate) -> None:
        lab, run, placed = self._lab, self._row.id, self._survey.place(debate)
        arm, found = placed.arms.base.name, self._found
        dataset = debate.dataset or found.source
        replicate = debate.replicate
        while (seen := hash((arm, dataset, debate.id, replicate))) in self._seen:
            replicate += 1
        self._seen.add(seen)
        found.repeated += replicate != debate.replicate
        made = make_transcript(
            debate,
            found.kinds[debate.dataset],
            source=found.source,
            protocol=placed.protocol,
            debater=placed.debater,
            replicate=replicate,
        )
        self._count(debate, made)
        held = made.transcript
        place = dataset, debate.id, replicate
        await lab.save_debate(run, (arm, *place), held)
        for derived, transcript in placed.arms.derive(held):
            key, seldom = (derived.name, *place), derived.kind == "rule"
            await lab.save_debate(run, key, transcript, (arm, held), measured=not seldom)

    def _count(self, debate: LoggedDebate, made: ImportedDebate) -> None:
        found, held = self._found, made.transcript
        found.failed += held.failed is not None
        found.verdicts += debate.verdict is not None
        found.unknown_reads += made.unknown_reads
        found.unanswered += held.question.answer is None
        for turn in held.turns:
            found.read += turn.answer is not None
            found.unread_answers += held.lacks_answer(turn)
        if made.odd:
            found.odd_answers += 1
            if len(found.odd) < SHOWN:
                why = f"{made.odd[:60]!r} is no answer of kind {held.question.kind!r}"
                found.odd.append(Unread(debate.place, why))


def digest_log(log: Log, form: LogFormat, kind: Kind | None) -> str:
    """Return the digest of a log's files, as a run's key has it."""
    digest = blake2b(_VERSION, digest_size=5)
    digest.update(msgspec.json.encode((form.name, form.about, kind)))
    for file in log.files():
        digest.update(msgspec.json.encode((file.name,)))
        with file.open() as content:
            while piece := content.read(_PIECE):
                digest.update(piece)
    return digest.hexdigest()


def _is_small(log: Log) -> bool:
    """Whether all debates of a log can be held at once, so that it is read once."""
    return (
        sum(file.size * (20 if file.name.endswith(".gz") else 1) for file in log.files()) <= _SMALL
    )


def _make_slug(name: str) -> str:
    """Return a name as it stands in a key."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST].strip("-") or "log"
