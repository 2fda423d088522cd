"""The settings of a protocol as fields of a form, and a filled form as settings."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from moot.core.errors import InputError
from moot.debate.decision import registry as decisions
from moot.debate.protocol import Protocol
from moot.runtime.budget import Budget

NOT_HERE = frozenset({"model", "examples", "opening", "distance", "squares", "put"})
"""Settings without a field: one has its own, one names a file, others need a known answer."""


NAMES: Mapping[str, Callable[[Protocol], Iterable[str]]] = {
    "style": lambda protocol: protocol.pack().styles,
    "decision": lambda _: decisions.names(),
}
"""Text settings that name something, with the names to choose from."""


class FormField(NamedTuple):
    """A setting in a form.

    Attributes:
        name: of the setting.
        kind: the kind of control.
        value: the text of the control.
        help: the meaning of the setting.
        own: whether it belongs to the protocol, not to every protocol.
        low: the least number; empty for none.
        high: the greatest number; empty for none.
        step: between two numbers.
        options: the values to choose from.
        empty: whether it may be empty, which stands for None.
    """

    name: str
    kind: Literal["number", "choice", "flag"]
    value: str
    help: str
    own: bool
    low: str = ""
    high: str = ""
    step: str = ""
    options: tuple[str, ...] = ()
    empty: bool = False

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ").capitalize()


def list_form_fields(protocol: Protocol, given: Mapping[str, Any]) -> list[FormField]:
    """Return the fields of a protocol's settings.

    Lists and texts of any kind have no field: they are for a study, or for the server's owner.

    Args:
        protocol: the protocol.
        given: the values of the fields by name; others have their default.
    """
    _, parts = msgspec.json.schema_components([protocol.settings])
    schemas = parts[protocol.settings.__name__]["properties"]
    own = protocol.own.__struct_fields__
    made = []
    for setting in protocol.described_settings:
        if setting.name in NOT_HERE or isinstance(given.get(setting.name), list | tuple | dict):
            continue
        control = _control(schemas[setting.name])
        if setting.name in NAMES:
            names = tuple(sorted(NAMES[setting.name](protocol)))
            control = {"kind": "choice", "options": names}
        if control is not None:
            value = _write(given.get(setting.name, setting.default))
            is_own = setting.name in own
            made.append(
                FormField(setting.name, value=value, help=setting.help, own=is_own, **control)
            )
    return made


def parse_form_fields(fields: list[FormField], form: Mapping[str, str]) -> dict[str, Any]:
    """Return a filled form as settings, for ``Protocol.check``; other fields are ignored.

    An empty field stands for None where that is possible, else for the default. Raises
    ``InputError`` for a number that is not one.
    """
    settings: dict[str, Any] = {}
    for field in fields:
        text = form.get(field.name, "").strip()
        if text:
            settings[field.name] = _read(field, text)
        elif field.empty and field.name in form:
            settings[field.name] = None
    return settings


def _read(field: FormField, text: str) -> object:
    """Return the value of a field. Raises ``InputError`` for a number that is not one."""
    if field.kind == "choice":
        return text
    if field.kind == "flag":
        return text == "true"
    try:
        return int(text) if field.step == "1" else float(text)
    except ValueError:
        number = "a whole number" if field.step == "1" else "a number"
        raise InputError(f"{field.title}: {text[:80]!r} is not {number}") from None


def _control(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the control for values of a JSON schema; None if a form has none for it."""
    every = schema.get("anyOf", [schema])
    kinds = [each for each in every if each.get("type") != "null"]
    if len(kinds) != 1:
        return None
    match kinds[0]:
        case {"enum": values}:
            options = tuple(str(value) for value in values if value is not None)
            return {"kind": "choice", "options": options, "empty": None in values}
        case {"type": "boolean"}:
            return {"kind": "flag"}
        case {"type": "integer" | "number" as name} as number:
            step = int(name == "integer")
            low = number.get("minimum", _add(number.get("exclusiveMinimum"), step))
            high = number.get("maximum", _add(number.get("exclusiveMaximum"), -step))
            ends = {"low": _write(low), "high": _write(high), "step": "1" if step else "any"}
            return {"kind": "number", "empty": len(kinds) < len(every), **ends}
    return None


def _add(bound: float | None, by: int) -> float | None:
    return None if bound is None else bound + by


def _write(value: object) -> str:
    """Return a value as the text of a control."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def parse_budget(form: Mapping[str, str]) -> Budget:
    """Return the most that may be spent. Raises ``InputError`` naming what is not a number."""
    caps: dict[str, Any] = {}
    for name, kind in (("cost", float), ("calls", int)):
        text = form.get(f"max_{name}", "").strip()
        if text:
            try:
                caps[name] = msgspec.convert(text, kind, strict=False)
            except msgspec.ValidationError:
                raise InputError(f"the most {name}: {text[:80]!r} is no number") from None
    return Budget(**caps)
