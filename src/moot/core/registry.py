"""Registries: how protocols, metrics, datasets and models are found by name.

A built-in thing lives in a module of its registry's package: one that has its name, or the one that
the package's table says. Another package brings its own by an entry point, in the group
``moot.protocols``, ``moot.decisions``, ``moot.stops``, ``moot.metrics``, ``moot.parsers``,
``moot.datasets``, ``moot.models``, ``moot.analyses`` or ``moot.simulations``. A module is imported
when one of its names is asked for, not before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

from moot.core.entry_points import EntryPoint, find_entry_points
from moot.core.errors import InputError, UnknownName

T = TypeVar("T")


_every: "dict[str, Registry[Any]]" = {}
"""The registries of this process, by what they hold."""


class Registry(Generic[T]):
    """Names and what they stand for.

    Args:
        what: the kind of thing, for error texts, e.g. ``"protocol"``.
        package: the package whose modules hold the built-in ones, e.g. ``"moot.protocols"``; empty
            where none is built in.
        group: the entry-point group of the others; the package's name if not given.
        table: the package's table: the names in each of its modules, with blanks between them.
            Without one a module holds the thing of its own name.
        by_name: whether the name of an entry point is that of what it brings.
        from_file: returns the thing in a file of the user's, by ``file.py`` or ``file.py:name``;
            None where files bring none.

    Attributes:
        broken: plug-ins that could not be loaded, by the name of their entry point, and why.
    """

    def __init__(
        self,
        what: str,
        package: str,
        *,
        group: str = "",
        table: str = "",
        by_name: bool = True,
        from_file: Callable[[str], T] | None = None,
    ) -> None:
        self.what, self.package, self.group = what, package, group or package
        self._from_file = from_file
        self._apart: tuple[Callable[[T], bool], dict[str, T]] | None = None
        self._table, self._by_name = table, by_name
        self._found: dict[str, T] = {}
        self.broken: dict[str, str] = {}
        self._loaded: set[EntryPoint] = set()
        self._complete = False
        self._sorted: tuple[T, ...] | None = None
        _every.setdefault(what, self)

    @staticmethod
    def list_names(kinds: Iterable[str]) -> dict[str, list[str]]:
        """Return the registered names of some kinds of things; of one without a registry none."""
        return {kind: _every[kind].names() for kind in kinds if kind in _every}

    def add(self, name: str, thing: T, *, again: bool = False) -> None:
        """Register; a second thing under one name is an error, unless it is the same ``again``."""
        if self._apart and self._apart[0](thing):
            self._apart[1][name] = thing
            return
        if name in self._found and self._found[name] is not thing and not again:
            message = f"two {self.what}s are named {name!r}; rename or uninstall one of them"
            raise InputError(message)
        self._found[name] = thing
        self._sorted = None

    @contextmanager
    def keep_apart(self, belongs: Callable[[T], bool]) -> Iterator[dict[str, T]]:
        """Give a table that takes what is registered meanwhile, where it belongs there."""
        self._apart = belongs, {}
        try:
            yield self._apart[1]
        finally:
            self._apart = None

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
        raise UnknownName(self.what, name, self.names(), where=where)

    def find(self, name: str) -> T | None:
        """Return what ``name`` stands for; None if nothing has this name.

        A plug-in may register further names beside its own: all are loaded for an unknown one.
        """
        if name in self._found:
            return self._found[name]
        if self._from_file and (name.endswith(".py") or ".py:" in name):
            return self._from_file(name)
        if name in self._homes:
            import_module(self._homes[name])
        elif not self._complete and name:
            self.load(each for each in self.plugins if each.name == name)
            if name not in self._found:
                self._load_all()
        return self._found.get(name)

    @property
    def plugins(self) -> list[EntryPoint]:
        """What other packages bring, imported or not."""
        return find_entry_points(self.group)

    @property
    def imported(self) -> tuple[T, ...]:
        """What is registered so far: nothing is imported for that."""
        return tuple(self._found.values())

    def names(self) -> list[str]:
        """Return every name, sorted. What is named elsewhere is not imported for that."""
        named = set(self._homes)
        if not self._complete and self._by_name:
            self.load(each for each in self.plugins if not each.attribute)
            named |= {each.name for each in self.plugins if each not in self._loaded}
        elif not self._complete:
            self._load_all()
        return sorted(self._found.keys() | named)

    def all(self) -> tuple[T, ...]:
        """Return everything by name: the same tuple until something else is registered."""
        if self._sorted is None:
            for module in dict.fromkeys(self._homes.values()):
                import_module(module)
            self._load_all()
            self._sorted = tuple(self._found[name] for name in sorted(self._found))
        return self._sorted

    def __iter__(self) -> Iterator[T]:
        return iter(self.all())

    def decorate(self, name: str) -> Callable[[T], T]:
        """Register what it decorates, under ``name``."""

        def register(thing: T) -> T:
            self.add(name, thing)
            return thing

        return register

    @cached_property
    def _homes(self) -> Mapping[str, str]:
        """The module of each name that is built in."""
        if not self.package:
            return {}
        package = import_module(self.package)
        if self._table:
            table: Mapping[str, str] = getattr(package, self._table)
            homes = {name: module for module, names in table.items() for name in names.split()}
        else:
            modules = [each.name for each in iter_modules(getattr(package, "__path__", ()))]
            homes = {module.replace("_", "-"): module for module in modules}
        return {name: f"{self.package}.{module}" for name, module in homes.items()}

    def _load_all(self) -> None:
        """Load every plug-in."""
        if not self._complete:
            self.load(self.plugins)
            self._complete = True

    def load(self, plugins: Iterable[EntryPoint]) -> None:
        """Load plug-ins; one that cannot be loaded is noted in ``broken`` and stops no other."""
        for each in plugins:
            if each in self._loaded:
                continue
            self._loaded.add(each)
            try:
                each.load()  # a decorated thing, or its module: either way importing registers it
            except Exception as error:  # noqa: BLE001 -- one broken plug-in must not stop the rest
                known = isinstance(error, InputError)
                why = str(error) if known else f"{type(error).__name__}: {error} ({each.value})"
                self.broken[each.name] = why
