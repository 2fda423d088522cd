"""Logs of Inspect, ``.eval`` and ``.json``, read by Inspect's own reader."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from moot import InputError
from moot.contrib.imports.debate_log import LoggedDebate, LoggedQuestion, LoggedVerdict
from moot.contrib.imports.inspect_messages import read_turns
from moot.contrib.imports.log_files import FREE, MOST_RATIO, MOST_TOTAL, Log, LogFile
from moot.contrib.imports.log_format import Unread, log_format

Json = Mapping[str, Any]
_PIECE = 1 << 20
_LEFT_OUT = {"events", "attachments", "store"}
_VALUES = {"C": True, "I": False, True: True, False: False}
"""Values of a scorer, and whether the answer is right; 1 and 0 are True and False."""


def _is_log(file: LogFile) -> bool:
    if file.ending == ".eval":
        return True
    head = file.peek()
    return isinstance(head, dict) and {"version", "status", "eval"} <= head.keys()


def _look(log: Log) -> str:
    fits = any(map(_is_log, log.files(".eval", ".json")))
    return "" if fits else "no .eval, no JSON with version, status and eval"


@log_format("inspect", look=_look)
def inspect(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Logs of Inspect (.eval, .json); needs moot[inspect]."""
    reader = _load_reader(log)
    for file in log.files(".eval", ".json"):
        if not _is_log(file):
            log.note(file.name, "left out: no log of Inspect")
            continue
        for header, sample in _list_samples(reader, file):
            yield _read_sample(sample, header, file)


def _list_samples(reader: Any, file: LogFile) -> Iterator[tuple[Json, Json]]:  # noqa: ANN401
    """Yield the samples of a log one by one, each with the header."""
    try:
        with _at_hand(file) as path:
            packed = file.ending == ".eval"
            if packed:
                _check_size(path, file)
            held = reader.read_eval_log(path, header_only=packed, resolve_attachments=True)
            header = held.eval.model_dump(mode="json")
            if not packed:
                for sample in held.samples or ():
                    yield header, sample.model_dump(mode="json", exclude=_LEFT_OUT)
                return
            for each in reader.read_eval_log_sample_summaries(path):
                place = each.id, each.epoch
                sample = reader.read_eval_log_sample(path, *place, resolve_attachments=True)
                yield header, sample.model_dump(mode="json", exclude=_LEFT_OUT)
    except InputError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise InputError(f"{file.name}: Inspect cannot read it: {why}") from error


def _check_size(path: Path, file: LogFile) -> None:
    """Raise ``InputError`` for an archive that inflates without end, which Inspect would read."""
    with ZipFile(path) as archive:
        total = sum(each.file_size for each in archive.infolist())
    packed = path.stat().st_size
    if total > min(FREE + MOST_RATIO * packed, MOST_TOTAL):
        raise InputError(f"{file.name}: a zip bomb: its {packed:,} bytes become {total:,}")


def _load_reader(log: Log) -> Any:  # noqa: ANN401 -- a module that may be absent
    try:
        return import_module("inspect_ai.log")
    except ImportError:
        raise InputError(
            f"{log.path}: logs of Inspect are read by inspect_ai, which is not installed: "
            "pip install 'moot[inspect]'"
        ) from None


@contextmanager
def _at_hand(file: LogFile) -> Iterator[Path]:
    """Yield where a file lies; one of an archive is copied for as long as it is read."""
    if file.path is not None and not file.name.endswith(".gz"):
        yield file.path
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, f"log{file.ending}")
        with file.open() as packed, path.open("wb") as copied:
            while piece := packed.read(_PIECE):
                copied.write(piece)
        yield path


def _read_sample(told: Json, header: Json, file: LogFile) -> LoggedDebate:
    agents, turns = read_turns(told["messages"])
    metadata = told.get("metadata") or {}
    choices = tuple(told.get("choices") or ())
    error = (told.get("error") or {}).get("message") or ""
    verdict = None if error else _find_verdict(told)
    return LoggedDebate(
        id=str(metadata.get("question_id") or told["id"]),
        question=LoggedQuestion(
            text=_find_question(told),
            kind="choice" if choices else "",
            choices=choices,
            answer=_read_target(told["target"]),
        ),
        agents=agents,
        turns=turns,
        dataset=str((header.get("dataset") or {}).get("name") or header["task"]),
        method=str(header.get("solver") or ""),
        replicate=told["epoch"] - 1,
        verdict=verdict,
        error=str(error),
        settings=_find_settings(header),
        labels=_list_labels(told),
        place=f"{file.name}, sample {told['id']!r}, epoch {told['epoch']}",
    )


def _find_question(told: Json) -> str:
    asked = told["input"]
    if isinstance(asked, str):
        return asked
    _, turns = read_turns([*({**each, "source": None} for each in asked), {"role": "assistant"}])
    prompts = [each for each in turns[0].prompt if each.role == "user"] or turns[0].prompt
    return prompts[-1].content if prompts else ""


def _read_target(target: str | list[str]) -> str | tuple[str, ...] | None:
    return (tuple(target) if isinstance(target, list) else target) or None


def _find_settings(header: Json) -> dict[str, Any]:
    """Return the marks of a log within its folder: moot's arm and settings, or task and model."""
    stated = header.get("metadata") or {}
    if "arm" in stated:
        return {"arm": stated["arm"]} | dict(header.get("solver_args") or {})
    return {"task": header["task"], "model": header["model"]}


def _find_verdict(told: Json) -> LoggedVerdict | None:
    """Return the answer that the first scorer states, and whether it is right."""
    said = (told.get("output") or {}).get("completion") or ""
    for name, score in (told.get("scores") or {}).items():
        value = score.get("value")
        if isinstance(value, str | int | float | bool) and value in _VALUES:
            answer = score.get("answer")
            by = str((told.get("metadata") or {}).get("decided_by") or name)
            return LoggedVerdict(answer=answer, text=said, by=by, correct=_VALUES[value])
    return LoggedVerdict(text=said, by="output") if said else None


def _list_labels(told: Json) -> dict[str, Any]:
    return {name: score.get("value") for name, score in (told.get("scores") or {}).items()}
