"""Logs that Inspect reads: one for every arm on every dataset of a run.

A log is a ZIP archive of JSON entries: ``samples/ID_epoch_N.json`` for each debate, a summary of
them all, and a header with set-up, results and usage (the ``.eval`` format, version 2).
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from moot.contrib.inspect.inspect_events import Json
from moot.contrib.inspect.inspect_samples import add_usage, identifier, sample, summary
from moot.extend.protocols import models_in
from moot.extend.records import ExportedDebate, Outline, Status

VERSION = 2
_STATUS: dict[Status, str] = {"running": "started", "done": "success", "stopped": "cancelled"}
_encode = msgspec.json.Encoder().encode


@contextmanager
def inspect_logs(folder: Path, outline: Outline) -> Iterator[Callable[[ExportedDebate], None]]:
    """Write debates, those of a part one after the other, to logs in a new folder."""
    folder.mkdir()
    log: _Log | None = None

    def write(debate: ExportedDebate) -> None:
        nonlocal log
        if log is None or log.key != debate.key:
            if log is not None:
                log.finish()
            log = _Log(folder, outline, debate)
            log.begin()
        log.add(debate)

    try:
        yield write
        if log is not None:
            log.finish()
    finally:
        if log is not None:
            log.close()


class _Log:
    """One log under way; ``first`` is the first debate that will be added."""

    def __init__(self, folder: Path, outline: Outline, first: ExportedDebate) -> None:
        self.key, self._part, self._run = first.key, outline.parts[first.key], first.run
        self._begun = datetime.fromtimestamp(first.run.created, UTC).isoformat(timespec="seconds")
        self._usage: dict[str, Json] = {}
        self._roles: dict[str, Json] = {}
        self._ended = self._begun
        self._spec = self._describe_eval(first)
        self._plan = _plan(first)
        name = "_".join([self._begun, self._spec["task"], self._spec["eval_id"]])
        file = folder / (re.sub(r"[^\w.]", "-", name) + ".eval")
        self._summaries = TemporaryFile(dir=folder)  # noqa: SIM115  closed by close()
        self._zip = ZipFile(file, "x", ZIP_DEFLATED)

    def begin(self) -> None:
        """Write what comes first: the set-up."""
        start = {"version": VERSION, "eval": self._spec, "plan": self._plan}
        self._write_entry("_journal/start.json", start)

    def add(self, debate: ExportedDebate) -> None:
        """Write one debate."""
        made = sample(debate)
        self._write_entry(f"samples/{made['id']}_epoch_{made['epoch']}.json", made)
        self._summaries.write(b"," if self._summaries.tell() else b"[")
        self._summaries.write(_encode(summary(made)))
        for model, took in made["model_usage"].items():
            add_usage(self._usage, model, took)
        for role, took in made["role_usage"].items():
            add_usage(self._roles, role, took)
        self._ended = max(self._ended, made["completed_at"])

    def finish(self) -> None:
        """Write what comes last: the summaries and the header."""
        self._summaries.write(b"]")
        self._summaries.seek(0)
        with self._zip.open("summaries.json", "w", force_zip64=True) as entry:
            copyfileobj(self._summaries, entry)
        header = {
            "version": VERSION,
            "status": _STATUS[self._run.status],
            "eval": self._spec,
            "plan": self._plan,
            "results": self._describe_results(),
            "stats": {
                "started_at": self._begun,
                "completed_at": self._ended,
                "model_usage": self._usage,
                "role_usage": self._roles,
            },
        }
        self._write_entry("header.json", header)
        self._zip.close()
        self._summaries.close()

    def close(self) -> None:
        """Close its files, finished or not."""
        with suppress(OSError):  # what could not be written was told before
            self._zip.close()
        with suppress(OSError):
            self._summaries.close()

    def _write_entry(self, name: str, value: Json) -> None:
        self._zip.writestr(name, _encode(value))

    def _describe_eval(self, first: ExportedDebate) -> Json:
        opened = first.transcript.opened
        run, part = self._run, self._part
        eval_id = identifier(run.key, self.key.arm, self.key.dataset)
        simulated = ["simulated"] if opened.simulated else []
        return {
            "eval_id": eval_id,
            "run_id": run.key,
            "created": self._begun,
            "task": f"{self.key.arm} on {self.key.dataset}",
            "task_id": eval_id,
            "solver": opened.protocol,
            "solver_args": opened.settings,
            "tags": ["moot", *simulated],
            "dataset": {"name": self.key.dataset, "samples": part.questions, "shuffled": False},
            "model": ", ".join(models_in(opened.settings)),
            "config": {
                "epochs": part.replicates,
                "epochs_reducer": ["mean"],
                "fail_on_error": False,
                "score_on_error": True,
            },
            "packages": {"moot": version("moot")},
            "metadata": {
                "study": run.name,
                "run": run.key,
                "arm": self.key.arm,
                "simulated": opened.simulated,
            },
        }

    def _describe_results(self) -> Json:
        """Return accuracy with its standard error over questions, and all other metrics' means."""
        part, scores = self._part, list[Json]()
        means = dict(part.means())
        reducer = "mean" if part.replicates > 1 else None
        right = part.accuracy()
        if right is not None:
            means.pop("accuracy")
            accuracy = {"accuracy": right[0], "stderr": right[1]}
            scores.append(_score("accuracy", "accuracy", reducer, **accuracy))
        scores += [_score(name, "metrics", reducer, mean=mean) for name, mean in means.items()]
        return {
            "total_samples": part.debates,
            "completed_samples": part.debates - part.failed,
            "scores": scores,
        }


def _plan(first: ExportedDebate) -> Json:
    opened = first.transcript.opened
    return {"name": "debate", "steps": [{"solver": opened.protocol, "params": opened.settings}]}


def _score(name: str, scorer: str, reducer: str | None, **values: float) -> Json:
    metrics = {metric: {"name": metric, "value": value} for metric, value in values.items()}
    return {"name": name, "scorer": scorer, "reducer": reducer, "metrics": metrics}
