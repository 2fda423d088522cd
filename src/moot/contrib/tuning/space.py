"""The space of a search: which settings are tried, and the values each may take."""

from collections.abc import Iterator, Mapping
from itertools import islice, product
from math import floor, inf, isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from moot import InputError
from moot.extend.faults import check_known
from moot.extend.protocols import Protocol
from moot.extend.studies import convert_table

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

CROWDS = ("agents", "samples")
"""The settings that may be a list of agents instead of their number."""
Configuration = dict[str, Any]
"""One configuration: the value of every setting that is searched over."""

CORNERS = 2_000
"""The most configurations at the ends of all ranges that are checked beforehand."""


class ChoiceAxis(msgspec.Struct, frozen=True):
    """One of several values, in no order."""

    values: tuple[Any, ...]

    @property
    def ends(self) -> tuple[Any, ...]:
        """What has to be right for all to be: every value."""
        return self.values

    @property
    def size(self) -> float:
        """How many values there are."""
        return len(self.values)

    def distribution(self) -> "BaseDistribution":
        """As the sampler knows it: by place, since a value may be a list or a table."""
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(range(len(self.values)))

    def value(self, drawn: float) -> Any:  # noqa: ANN401 -- a value of any setting
        """Return the value that the sampler means."""
        return self.values[int(drawn)]

    def list_values(self) -> range:
        """Return what the sampler may draw."""
        return range(len(self.values))


class RangeAxis(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Numbers from ``low`` to ``high``, both included.

    Attributes:
        step: between one value and the next; None is 1 for whole numbers and any for others.
        log: whether small differences matter more among small values.
    """

    low: int | float
    high: int | float
    step: int | float | None = None
    log: bool = False

    @property
    def ends(self) -> tuple[Any, ...]:
        """The least and the greatest value."""
        last = self.value(self.size - 1) if isfinite(self.size) else self.high
        return tuple(dict.fromkeys((self.low, last)))

    @property
    def size(self) -> float:
        """How many values there are; infinite where there is no step."""
        if self.step is None:
            return inf if self.high > self.low else 1
        return floor((self.high - self.low) / self.step + 1e-9) + 1

    def distribution(self) -> "BaseDistribution":
        """As the sampler knows it: steps are counted, so that none is missed by rounding."""
        from optuna.distributions import FloatDistribution, IntDistribution

        if self.log and isinstance(self.low, int) and isinstance(self.high, int):
            return IntDistribution(self.low, self.high, log=True)
        if isfinite(self.size):
            return IntDistribution(0, int(self.size) - 1)
        return FloatDistribution(self.low, self.high, log=self.log)

    def value(self, drawn: float) -> int | float:
        """Return the value that the sampler means, with four digits where it may be any."""
        if self.log and isinstance(self.low, int) and isinstance(self.high, int):
            return int(drawn)
        if not isfinite(self.size):
            return min(max(float(f"{drawn:.4g}"), self.low), self.high)
        if self.step is None:
            return self.low
        found = self.low + int(drawn) * self.step
        return found if isinstance(found, int) else round(found, 10)

    def list_values(self) -> range:
        """Return the values that the sampler may draw, where their number is finite."""
        if self.log and isinstance(self.low, int) and isinstance(self.high, int):
            return range(self.low, self.high + 1)
        return range(int(self.size))


class Space(msgspec.Struct, frozen=True):
    """All settings that are searched over, by name."""

    axes: dict[str, ChoiceAxis | RangeAxis]

    @property
    def size(self) -> float:
        """How many configurations there are."""
        total = 1.0
        for axis in self.axes.values():
            total *= axis.size
        return total

    def points(self) -> Iterator[Configuration]:
        """Yield every configuration of a finite space, in the order of its table."""
        for draws in product(*(axis.list_values() for axis in self.axes.values())):
            yield self.point(dict(zip(self.axes, draws, strict=True)))

    def point(self, drawn: Mapping[str, Any]) -> Configuration:
        """Return the configuration that the sampler means."""
        return {name: axis.value(drawn[name]) for name, axis in self.axes.items()}

    def corners(self) -> list[Configuration]:
        """Return configurations with every setting at an end of its range or at a choice."""
        ends = [axis.ends for axis in self.axes.values()]
        first = {name: axis.ends[0] for name, axis in self.axes.items()}
        alone = [{**first, name: end} for name, axis in self.axes.items() for end in axis.ends]
        several = product(*ends)
        found = [dict(zip(self.axes, each, strict=True)) for each in islice(several, CORNERS)]
        return found if next(several, None) is None else [*found, *alone]


def read_space(raw: Mapping[str, Any], protocol: Protocol, *, where: str) -> Space:
    """Read the table ``[tune.space]``.

    Args:
        raw: by setting, a list of values or a table ``{low, high, step, log}``.
        protocol: whose settings they are.
        where: the file and the table, for error texts.

    Raises:
        UnknownName: a setting the protocol does not have, with the nearest.
        InputError: a range that is none, or an empty list.
    """
    if not raw:
        raise InputError(f"{where}: a search needs at least one setting, as rounds = [1, 2, 3]")
    kinds = {setting.name: setting.type for setting in protocol.described_settings}
    known = [*kinds, *(name for name in CROWDS if name in kinds)]
    axes: dict[str, ChoiceAxis | RangeAxis] = {}
    for name, given in raw.items():
        check_known("setting", [name], known, where=where)
        axes[name] = _axis(given, kinds[name], f"{where}: {name}")
    return Space(axes)


def _axis(given: object, kind: str, where: str) -> ChoiceAxis | RangeAxis:
    if isinstance(given, list):
        if not given:
            raise InputError(f"{where} = []: list the values to try")
        return ChoiceAxis(tuple(given))
    if not isinstance(given, Mapping):
        raise InputError(
            f"{where} = {given!r}: expected a list of values, or a table {{ low = …, high = … }}; "
            "a value for all trials stands in [settings]"
        )
    if not kind.startswith(("int", "float")):
        raise InputError(f"{where}: only numbers have a range, and this is {kind}: list its values")
    return _range(convert_table(RangeAxis, given, where=where), where, whole=kind.startswith("int"))


def _range(found: RangeAxis, where: str, *, whole: bool) -> RangeAxis:
    numbers = (found.low, found.high, *([] if found.step is None else [found.step]))
    if not all(isfinite(number) for number in numbers):
        raise InputError(f"{where}: low, high and step must be finite")
    if found.low > found.high:
        raise InputError(f"{where}: low = {found.low} is above high = {found.high}")
    if found.step is not None and not found.step > 0:
        raise InputError(f"{where}: step = {found.step}: must be above 0")
    if found.log and (found.step is not None or not found.low > 0):
        raise InputError(f"{where}: log = true needs low above 0 and no step")
    if not whole:
        low, high = float(found.low), float(found.high)
        return msgspec.structs.replace(found, low=low, high=high)
    if not all(isinstance(number, int) for number in numbers):
        raise InputError(f"{where}: low, high and step must be whole numbers")
    return msgspec.structs.replace(found, step=found.step or 1) if not found.log else found
