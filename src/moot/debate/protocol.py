"""What a protocol is: an async function that reads like its paper's algorithm, registered."""

import ast
import inspect
import operator
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.events import Verdict
from moot.core.registry import Registry
from moot.debate.settings import Common, Setting, check, describe
from moot.prompts.packs import Pack, load

Algorithm = Callable[..., Awaitable[Verdict]]

SIGNS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


@dataclass(frozen=True, slots=True, eq=False)
class Protocol:
    """A registered protocol.

    Attributes:
        name: as it is asked for, e.g. ``"society-of-minds"``.
        algorithm: the function itself.
        paper: where it comes from.
        calls: how many model calls a debate makes at most, as a formula over its settings.
        fewest: how many at least, where it can end early; else the same formula.
        own: a struct of its own settings.
        settings: a struct of all its settings, those every protocol has included.
    """

    name: str
    algorithm: Algorithm
    paper: str
    calls: str
    fewest: str
    own: type[msgspec.Struct]
    settings: type[msgspec.Struct]

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.algorithm) or "").partition("\n")[0]

    @property
    def described(self) -> list[Setting]:
        """All settings, its own first."""
        own = self.own.__struct_fields__
        return sorted(describe(self.settings), key=lambda setting: setting.name not in own)

    def check(self, given: Mapping[str, Any], *, where: str = "") -> dict[str, Any]:
        """Every setting in force, by name. Raises ``InputError`` naming what is wrong."""
        place = where or f"protocol {self.name}"
        checked = check(self.settings, given, where=place)
        settings = msgspec.structs.asdict(checked)
        pack = self.pack()
        if settings["style"] not in pack.styles:
            raise UnknownName("style", settings["style"], pack.styles, where=place)
        return settings

    def count(self, settings: Mapping[str, Any]) -> tuple[int, int]:
        """The fewest and the most calls a debate makes with these settings."""
        return _value(self.fewest, settings), _value(self.calls, settings)

    def pack(self, overlay: Path | None = None) -> Pack:
        """Its prompts, with the user's laid over ours."""
        beside = Path(inspect.getfile(self.algorithm))
        others = registry.names() if overlay else ()
        return load(self.name, beside=beside, overlay=overlay, protocols=others)


registry: Registry[Protocol] = Registry("protocol", "moot.protocols")


def protocol(
    *, paper: str, calls: str, fewest: str = "", name: str = ""
) -> Callable[[Algorithm], Protocol]:
    """Register an async function ``(debate, question, *, settings…) -> Verdict`` as a protocol.

    Its name is the function's, with hyphens; its settings are its keyword parameters, with their
    types, ranges (``Annotated[int, msgspec.Meta(ge=1)]``) and defaults.

    Args:
        paper: where the algorithm comes from.
        calls: the most calls of one debate, over the settings: numbers, ``+ - *`` and brackets.
        fewest: the fewest calls, where a debate can end early.
        name: another name than the function's.

    Raises:
        InputError: when it decorates, for a setting without a type or a default.
    """

    def register(algorithm: Algorithm) -> Protocol:
        own_name = name or algorithm.__name__.replace("_", "-")
        fields = list(_settings(algorithm, where=f"protocol {own_name}"))
        own = msgspec.defstruct("Own", fields, frozen=True, kw_only=True)
        settings = msgspec.defstruct("Settings", fields, bases=(Common,), frozen=True, kw_only=True)
        made = Protocol(own_name, algorithm, paper, calls, fewest or calls, own, settings)
        registry.add(own_name, made)
        return made

    return register


def _settings(algorithm: Algorithm, *, where: str) -> Iterator[tuple[str, Any, Any]]:
    """The name, type and default of every keyword-only parameter."""
    hints = get_type_hints(algorithm, include_extras=True)
    for parameter in inspect.signature(algorithm).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.name not in hints or parameter.default is parameter.empty:
                raise InputError(f"{where}: setting {parameter.name} needs a type and a default")
            yield parameter.name, hints[parameter.name], parameter.default


def _value(formula: str, settings: Mapping[str, Any]) -> int:
    """A formula's value: names are settings; only whole numbers, ``+``, ``-`` and ``*``."""

    def at(node: ast.expr) -> int:
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
                return int(SIGNS[type(op)](at(left), at(right)))
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name) if name in settings:
                return int(settings[name])
        raise UnknownName("name in a call formula", ast.unparse(node), settings, where=formula)

    return at(ast.parse(formula, mode="eval").body)
