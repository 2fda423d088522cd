"""Registries: how protocols, metrics, datasets and models are found by name.

A built-in lives in a module that has its name; another package brings its own by an entry point in
the group ``moot.protocols``, ``moot.metrics``, ``moot.parsers``, ``moot.datasets``, ``moot.models``
or ``moot.simulations``. Modules are imported when a name is asked for, not before.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from pkgutil import iter_modules
from typing import Generic, TypeVar

from moot.core.errors import InputError, UnknownName

T = TypeVar("T")


class Registry(Generic[T]):
    """Names and what they stand for.

    Args:
        what: the kind of thing, for error texts, e.g. ``"protocol"``.
        package: the package whose modules hold the built-in ones, e.g. ``"moot.protocols"``; empty
            where none is built in.
        group: the entry-point group of the others; the package's name if not given.

    Attributes:
        broken: plug-ins that could not be loaded, by the name of their entry point, and why.
    """

    def __init__(self, what: str, package: str, *, group: str = "") -> None:
        self.what, self.package, self.group = what, package, group or package
        self._found: dict[str, T] = {}
        self.broken: dict[str, str] = {}
        self._complete = False
        self._sorted: tuple[T, ...] | None = None

    def add(self, name: str, thing: T) -> None:
        """Register; a second thing under one name is an error."""
        if name in self._found and self._found[name] is not thing:
            message = f"two {self.what}s are named {name!r}; rename or uninstall one of them"
            raise InputError(message)
        self._found[name] = thing
        self._sorted = None

    def get(self, name: str, *, where: str = "") -> T:
        """Return the thing that is registered under this name.

        Raises:
            UnknownName: nothing has this name; the error says which name is near.
            InputError: the package that brings it cannot be loaded.
        """
        if (thing := self.find(name)) is not None:
            return thing
        if name in self.broken:
            raise InputError(f"{self.what} {name!r} cannot be loaded: {self.broken[name]}")
        raise UnknownName(self.what, name, self._found, where=where)

    def find(self, name: str) -> T | None:
        """Return what ``name`` stands for; None if nothing has this name."""
        if name in self._found:
            return self._found[name]
        for load in (self._import_one, self._import_all):
            if name in self._found or self._complete:
                break
            load(name)
        return self._found.get(name)

    def names(self) -> list[str]:
        """Return every registered name, sorted."""
        self._import_all()
        return sorted(self._found)

    def all(self) -> tuple[T, ...]:
        """Return everything by name: the same tuple until something else is registered."""
        if self._sorted is None or not self._complete:
            self._sorted = tuple(self._found[name] for name in self.names())
        return self._sorted

    def __iter__(self) -> Iterator[T]:
        return iter(self.all())

    def decorate(self, name: str) -> Callable[[T], T]:
        """Register what it decorates, under ``name``."""

        def register(thing: T) -> T:
            self.add(name, thing)
            return thing

        return register

    def _import_one(self, name: str) -> None:
        """Import just the module that bears the name: a built-in one, else that of a plug-in."""
        if (module := name.replace("-", "_")) in self._modules():
            import_module(f"{self.package}.{module}")
        else:
            self._load(entry_points(group=self.group, name=name))

    def _import_all(self, _: str = "") -> None:
        """Import all built-in modules and load all plug-ins."""
        if self._complete:
            return
        for module in self._modules():
            import_module(f"{self.package}.{module}")
        self._load(entry_points(group=self.group))
        self._complete = True

    def _modules(self) -> list[str]:
        """Return the names of the modules of the package."""
        if not self.package:
            return []
        return [module.name for module in iter_modules(import_module(self.package).__path__)]

    def _load(self, entries: EntryPoints) -> None:
        """Load plug-ins; one that cannot be loaded is noted in ``broken`` and stops no other."""
        for entry in entries:
            try:
                entry.load()  # a decorated thing, or its module: either way importing registers it
            except Exception as error:  # noqa: BLE001 -- one broken plug-in must not stop the rest
                known = isinstance(error, InputError)
                why = str(error) if known else f"{type(error).__name__}: {error} ({entry.value})"
                self.broken[entry.name] = why
