"""What carries the calls of a run in batches: files, or the batches API of their endpoints."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from moot.core.display_text import format_dollars, format_things
from moot.core.errors import InputError
from moot.core.results import Results
from moot.ledger.batches import SentBatch
from moot.models.model_names import refuse_people
from moot.studies.batch_files import BatchFiles
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.sent_batches import SentBatches, describe_batch, find_batch_models


@contextmanager
def carry_batches(
    lab: Lab,
    plan: Plan,
    *,
    batch: str | Path | bool | None,
    replies: Iterable[str | Path] = (),
    wait: bool = False,
    cancel: bool = False,
) -> Iterator[None]:
    """Carry the calls of a plan in batches while the block lasts; or each by itself.

    Args:
        lab: the laboratory that runs the plan.
        plan: what is run.
        batch: a file for the calls that wait; True: they are sent to the batches API; None or
            False: only replies are taken in, and without any each call goes by itself.
        replies: files with replies.
        wait: whether this process waits until a batch that it has sent has ended.
        cancel: whether open batches are cancelled; what they answered is taken in, and nothing is
            sent.

    Raises:
        InputError: a file cannot be read or written, options do not go together, or a model of the
            plan takes no batches.
    """
    files, attempts = [Path(each) for each in replies], plan.study.retry.attempts
    if files or cancel or batch:
        refuse_people(plan.models, "--batch" if batch or cancel else "--replies")
    if wait and not cancel and batch is not True:
        raise InputError("--batch-wait goes with --batch alone: files are answered elsewhere")
    if cancel and isinstance(batch, str | Path):
        raise InputError("--batch-cancel is of batches at an endpoint, not of files")
    if files and (cancel or batch is True):
        raise InputError("--replies goes with --batch FILE.jsonl: batches bring their own replies")
    if cancel or batch is True:
        models = find_batch_models(map(lab.model, plan.models))
        sent = SentBatches(
            lab.store, models, plan.prices(lab), wait=wait, cancel=cancel, attempts=attempts
        )
        with sent:
            lab.batch = sent
            yield
    elif files or isinstance(batch, str | Path):
        to = Path(batch) if isinstance(batch, str | Path) else None
        with BatchFiles(to, files, store=lab.store.batches, attempts=attempts) as carried:
            lab.batch = carried
            yield
    else:
        yield


def describe_waiting(waiting: Mapping[str, int]) -> str:
    """Return in words how many calls wait for a batch; an empty text where none does."""
    calls = sum(waiting.values())
    return f"{format_things(calls, 'call')} wait{'s' * (calls == 1)} for a batch" if calls else ""


def describe_open(batches: Iterable[SentBatch]) -> list[str]:
    """Return each batch in words, with what it was last seen to do, and its calls."""
    return [
        f"{describe_batch(each)} ({each.status} when last seen): "
        + format_things(each.calls, "call")
        for each in batches
    ]


def describe_batched(results: Results) -> str:
    """Return how many replies came in batches, and what they saved; an empty text without any."""
    batched, calls = (sum(getattr(arm, of) for arm in results.arms) for of in ("batched", "calls"))
    if not batched:
        return ""
    told = f"{batched:,} of {format_things(calls, 'reply')} came in batches"
    saved = sum(arm.batch_saving.total or 0.0 for arm in results.arms)
    return f"{told}, {format_dollars(saved)} below the usual price" if saved else told


def require_no_batches(lab: Lab, run: int) -> None:
    """Check that no batch of a run is open, whose calls would be paid for once more.

    Raises ``InputError`` naming each batch.
    """
    if isinstance(lab.batch, SentBatches) or not (batches := lab.store.batches.list_open(run)):
        return
    told = (
        "these calls are under way: --batch goes on with them, --batch-cancel ends them; nothing "
        "was called"
    )
    raise InputError("\n".join([*describe_open(batches), told]))
