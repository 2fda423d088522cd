"""Limits of endpoints across workers: each worker has a share, and all together no more than one.

Requests at once move to the workers where calls wait. A share that becomes smaller is free when its
worker says that so few calls are in flight. Models that run in a worker are its own.
"""

from collections.abc import Mapping


class LimitShares:
    """The driver's account of the requests that each worker may have in flight.

    Args:
        totals: the requests at once of each model, by its name as the study writes it.
        workers: how many workers there are.
    """

    def __init__(self, totals: Mapping[str, int], workers: int) -> None:
        self._totals, self._workers = dict(totals), workers
        self._used: dict[str, dict[int, int]] = {name: {} for name in totals}
        self._wanted: dict[str, dict[int, int]] = {name: {} for name in totals}

    def begin(self, worker: int) -> dict[str, int]:
        """Return the shares that a worker begins with; its calls of before have ended."""
        for name in self._totals:
            self._used[name][worker] = self._wanted[name][worker] = 0
        return self._grant(worker, dict.fromkeys(self._totals, 0))

    def note(self, worker: int, calls: Mapping[str, tuple[int, int, int]]) -> None:
        """Note what a worker has said: by model its share, its calls in flight, those that wait."""
        for name, (share, in_flight, waiting) in calls.items():
            self._used[name][worker] = max(share, in_flight)
            self._wanted[name][worker] = in_flight + waiting

    def share(self, worker: int) -> dict[str, int]:
        """Return the shares of a worker from now on; they count as used until it says otherwise."""
        return self._grant(worker, {name: used[worker] for name, used in self._used.items()})

    def _grant(self, worker: int, used: Mapping[str, int]) -> dict[str, int]:
        granted = {}
        for name, total in self._totals.items():
            free = total - sum(self._used[name].values())
            fair = _divide(total, self._workers, worker, self._wanted[name])
            granted[name] = min(fair, used[name] + free)
            self._used[name][worker] = max(granted[name], used[name])
        return granted


def _divide(total: int, workers: int, worker: int, wanted: Mapping[int, int]) -> int:
    """Return a worker's fair part of a total.

    Workers that want less than an even part get what they want; the others divide the rest evenly.
    What then is left is divided among all.
    """
    wants = [(wanted.get(each, 0), each) for each in range(workers)]
    left, place = total, 0
    for place, (want, each) in enumerate(sorted(wants)):
        part = min(want, _even(left, workers - place, 0))
        if want > part:
            break
        left -= want
        if each == worker:
            mine = want
    else:
        return mine + _even(left, workers, worker)
    greedy = [each for _, each in sorted(wants)[place:]]
    return _even(left, len(greedy), greedy.index(worker)) if worker in greedy else mine


def _even(total: int, parts: int, place: int) -> int:
    return total // parts + (place < total % parts)
