"""What carries the calls of a run in batches: files, or the batches API of their endpoints."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from moot.core.display_text import format_things
from moot.core.errors import InputError
from moot.core.ports import BatchModel
from moot.studies.batch_files import BatchFiles
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.sent_batches import SentBatches, require_batches


@contextmanager
def carry_batches(
    lab: Lab,
    plan: Plan,
    *,
    batch: str | Path | bool | None,
    replies: Iterable[str | Path] = (),
    wait: bool = False,
) -> Iterator[None]:
    """Carry the calls of a plan in batches while the block lasts; or each by itself.

    Args:
        lab: the laboratory that runs the plan.
        plan: what is run.
        batch: a file for the calls that wait; True: they are sent to the batches API; None or
            False: only replies are taken in, and without any each call goes by itself.
        replies: files with replies.
        wait: whether this process waits until a batch that it has sent has ended.

    Raises:
        InputError: a file cannot be read or written, options do not go together, or a model of the
            plan takes no batches.
    """
    files = [Path(each) for each in replies]
    if wait and batch is not True:
        raise InputError("--batch-wait goes with --batch alone: files are answered elsewhere")
    if files and batch is True:
        raise InputError("--replies goes with --batch FILE.jsonl: batches bring their own replies")
    if batch is True:
        models = [lab.model(name) for name in plan.models]
        for model in models:
            if isinstance(model, BatchModel):
                require_batches(model)
        if not any(isinstance(model, BatchModel) for model in models):
            raise InputError("--batch: no model of this study takes batches")
        names, attempts = tuple(plan.models), plan.study.retry.attempts
        with SentBatches(lab.store, lab.model, names, wait=wait, attempts=attempts) as sent:
            lab.batch = sent
            yield
    elif files or isinstance(batch, str | Path):
        to = Path(batch) if isinstance(batch, str | Path) else None
        with BatchFiles(to, files, store=lab.store.batches) as carried:
            lab.batch = carried
            yield
    else:
        yield


def describe_waiting(waiting: Mapping[str, int]) -> str:
    """Return in words how many calls wait for a batch; an empty text where none does."""
    calls = sum(waiting.values())
    return f"{format_things(calls, 'call')} wait{'s' * (calls == 1)} for a batch" if calls else ""
