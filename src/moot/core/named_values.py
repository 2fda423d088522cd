"""The metric values of one debate by name, without a table of names for each debate."""

from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView


class NamedValues(Mapping[str, float | None]):
    """Values by name. Debates that have values of the same names share the table of names.

    A dictionary of 90 names takes 3.3 kB or more, and this 0.8, beside the numbers.

    Args:
        places: the place of each name's value, from 0, in their order.
        values: one for each name; None for no value.
    """

    __slots__ = ("places", "sequence")

    def __init__(self, places: Mapping[str, int], values: Sequence[float | None]) -> None:
        self.places, self.sequence = places, values

    def __getitem__(self, name: str) -> float | None:
        return self.sequence[self.places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def values(self) -> ValuesView[float | None]:
        """Return the values in the order of the names."""
        return _Values(self)

    def items(self) -> ItemsView[str, float | None]:
        """Return names and values."""
        return _Items(self)


class _Values(ValuesView[float | None]):
    _mapping: NamedValues

    def __iter__(self) -> Iterator[float | None]:
        return iter(self._mapping.sequence)


class _Items(ItemsView[str, float | None]):
    _mapping: NamedValues

    def __iter__(self) -> Iterator[tuple[str, float | None]]:
        return zip(self._mapping.places, self._mapping.sequence, strict=True)
