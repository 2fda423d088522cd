"""The questions of a plan, packed: a million of them are no million objects."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import msgspec

from moot.core.questions import Kind, Question

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Question).decode


class Questions(Sequence[Question]):
    """Questions as their JSON, one after the other; each is made anew when it is asked for.

    They take their texts and some 100 bytes each, about half of what they take as objects, and the
    garbage collector never looks at them.

    Attributes:
        letters: of all texts and contexts together.
        kinds: all that they are of.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        self._packed = bytearray()  # each with a comma behind it: together they are an array
        self._ends = array("Q")
        self.letters = 0
        self.kinds: set[Kind] = set()
        packed, ends = self._packed, self._ends
        for question in questions:
            packed += _encode(question)
            packed += b","
            ends.append(len(packed))
            self.kinds.add(question.kind)
            self.letters += len(question.text) + len(question.context or "")

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[Question]:
        start = 0
        for end in self._ends:
            yield _decode(self._packed[start : end - 1])
            start = end

    @overload
    def __getitem__(self, place: int) -> Question: ...
    @overload
    def __getitem__(self, place: slice) -> list[Question]: ...
    def __getitem__(self, place: int | slice) -> Question | list[Question]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        start = self._ends[place - 1] if place else 0
        return _decode(self._packed[start : self._ends[place] - 1])

    def next_of_kind(self, place: int) -> Question | None:
        """Return the next question of the same kind, after the last one the first.

        Args:
            place: of the question before it, from 0.

        Returns:
            None where there is no other one of its kind, or where it is secret.
        """
        kind = self[place].kind
        others = (self[(place + step) % len(self)] for step in range(1, len(self)))
        found = next((each for each in others if each.kind == kind), None)
        return None if found is None or found.secret else found

    @property
    def encoded(self) -> Iterator[bytes | memoryview]:
        """Their JSON array, piece by piece."""
        yield b"["
        yield memoryview(self._packed)[:-1]
        yield b"]"
