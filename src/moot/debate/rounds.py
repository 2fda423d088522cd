"""The rounds of a debate, until one is the last."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count


class Rounds:
    """The rounds of a debate, until one is the last.

    Features and stops change them while they go on.

    Attributes:
        checks: called before each further round; the debate ends where any returns True. All are
            called, since each records what it finds.
        steps: called before those; each may change what follows.
        extra: the rounds that are to come where the debate would end.
        is_over: whether there is no further round, whatever else is so.
    """

    def __init__(self, numbers: Iterable[int]) -> None:
        self.checks: list[Callable[[], bool]] = []
        self.steps: list[Callable[[Rounds], None]] = []
        self.extra, self.is_over = 0, False
        self._planned = iter(numbers)
        self._further: Iterator[int] = iter(())
        if isinstance(numbers, range):  # its numbers go on where it ends
            self._further = count(numbers.start + len(numbers) * numbers.step, numbers.step)

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        for step in self.steps:
            step(self)
        if self.is_over:
            raise StopIteration
        number = next(self._planned, None)
        if number is None or sum([check() for check in self.checks]):
            if number is None and self.extra:
                number = next(self._further, None)
            if number is None or not self.extra:
                raise StopIteration
            self.extra -= 1
        return number
