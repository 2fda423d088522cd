"""The metric values of one debate by name, without a table of names for each debate."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from itertools import islice

from moot.core.display_text import format_things


class NamedValues(Mapping[str, float | None]):
    """Values by name. Debates that have values of the same names share the table of names.

    A dictionary of 90 names takes 3.3 kB or more, and this 0.8, beside the numbers.

    Args:
        places: the place of each name's value, from 0, in their order.
        values: one for each name, None for no value; then those that a newer moot has stored
            besides, whose names are not known here.
    """

    __slots__ = ("places", "sequence")

    def __init__(self, places: Mapping[str, int], values: Sequence[float | None]) -> None:
        self.places, self.sequence = places, values

    @property
    def surplus(self) -> int:
        """How many values have no name here."""
        return len(self.sequence) - len(self.places)

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
        return islice(self._mapping.sequence, len(self._mapping))


class _Items(ItemsView[str, float | None]):
    _mapping: NamedValues

    def __iter__(self) -> Iterator[tuple[str, float | None]]:
        return zip(self._mapping.places, self._mapping.sequence, strict=False)


def describe_surplus(debates: Iterable[Mapping[str, float | None]]) -> str:
    """Say how many stored values are not shown, since their names are not known here.

    Args:
        debates: the values of each debate.

    Returns:
        A sentence; empty where every value has a name.
    """
    found = [each.surplus for each in debates if isinstance(each, NamedValues) and each.surplus]
    if not found:
        return ""
    values, many = format_things(max(found), "value"), format_things(len(found), "debate")
    return f"Written by a newer moot: {values} of {many} not shown."
