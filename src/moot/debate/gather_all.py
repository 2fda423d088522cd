"""Await several things at once; a failure of one does not end the others."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from moot.core.errors import ModelError


async def gather_all(asked: Iterable[Any], into: Callable[[list[Any]], Any] = list) -> Any:  # noqa: ANN401 -- what ``into`` makes
    """Return the results of all these awaitables, in their order.

    Where some fail, all others end first; then the first failure is raised. A failure that is not a
    model's, such as a budget that is reached, is raised before a model's.
    """
    # By hand what asyncio.gather does at the cost of one more task and of a callback for each.
    first, tasks = (found := [*asked])[:1], [*map(asyncio.ensure_future, found[1:])]
    own = asyncio.current_task()
    assert own is not None
    results: list[Any] = []
    cancelled = own.cancelling()
    failures: list[Exception] = []
    for each in (*first, *tasks):
        gone = False
        try:
            results.append(await each)
        except asyncio.CancelledError:
            gone = True
        except Exception as error:  # noqa: BLE001 -- raised below, when all have ended
            failures.append(error)
        if gone or own.cancelling() > cancelled:  # even where it has made another error of that
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise asyncio.CancelledError
    if failures:
        try:
            raise _choose_failure(failures)
        finally:  # its traceback holds this frame, so that both would wait for a collection
            del asked, found, first, tasks, each, failures, own
    return into(results)


def _choose_failure(failures: Sequence[Exception]) -> Exception:
    """Return the failure that is raised; a model's counts the retries of all."""
    models = {id(error): error for error in failures if isinstance(error, ModelError)}
    worst = next((error for error in failures if id(error) not in models), failures[0])
    if isinstance(worst, ModelError):
        worst.retries = sum(error.retries for error in models.values())
    return worst
