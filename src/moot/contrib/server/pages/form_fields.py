"""The settings of a protocol as fields of a form, and a filled form as settings."""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from moot import Budget, InputError
from moot.extend.protocols import Protocol

NOT_HERE = frozenset({"model", "examples", "opening", "distance", "squares", "put"})
"""Settings without a field: one has its own, one names a file, others need a known answer."""


LINE = 1000
"""The most characters of a text that is written in one line."""


class FormField(NamedTuple):
    """A setting in a form.

    Attributes:
        name: of the setting.
        kind: the kind of control.
        value: the text of the control.
        help: the meaning of the setting.
        own: whether it belongs to the protocol, not to every protocol.
        low: the least number; empty for none.
        high: the greatest number, or the most characters of a text; empty for none.
        options: the values to choose from.
        empty: whether it may be empty, which stands for None.
        label: the words beside the control.
    """

    name: str
    kind: Literal["integer", "number", "choice", "flag", "text", "lines"]
    value: str
    help: str
    own: bool
    low: str = ""
    high: str = ""
    options: tuple[str, ...] = ()
    empty: bool = False
    label: str = ""

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ").capitalize()

    @property
    def step(self) -> str:
        """The step between two numbers."""
        return "1" if self.kind == "integer" else "any"

    def parse(self, text: str) -> str | float:
        """Return the value of a filled field. Raises ``InputError`` for no number."""
        kind = {"integer": int, "number": float, "flag": bool}.get(self.kind, str)
        try:
            return msgspec.convert(text, kind, strict=False)
        except msgspec.ValidationError:
            number = "a whole number" if kind is int else "a number"
            raise InputError(f"{self.title}: {text[:80]!r} is not {number}") from None


def list_form_fields(protocol: Protocol, given: Mapping[str, Any]) -> list[FormField]:
    """Return the fields of a protocol's settings.

    Lists have no field, nor have texts that may name something: they are for a study, or for the
    server's owner. What needs a known right answer has none either: a page has no such answer.

    Args:
        protocol: the protocol.
        given: the values of the fields by name; others have their default.
    """
    _, parts = msgspec.json.schema_components([protocol.settings])
    schemas = parts[protocol.settings.__name__]["properties"]
    own, studied = protocol.own.__struct_fields__, protocol.studied_settings
    made = []
    for setting in protocol.described_settings:
        name = setting.name
        control = _control(schemas[name])
        if names := protocol.list_choices(name):  # a default may have parameters
            options = {*names, *filter(None, [_write(setting.default)])}
            control = {"kind": "choice", "options": tuple(sorted(options))}
        if (
            control
            and name not in (*NOT_HERE, *studied)
            and not isinstance(given.get(name), list | dict)
        ):
            value = _write(given.get(name, setting.default))
            words, more = split_help(setting.help)
            title = schemas[name].get("title", "")
            text = setting.help if title and title.casefold() != setting.help.casefold() else more
            label = title or words or name.replace("_", " ").capitalize()
            field = FormField(name, value=value, help=text, own=name in own, label=label, **control)
            made.append(field)
    return made


def split_help(text: str) -> tuple[str, str]:
    """Return the first clause of a setting's meaning, as a label, and the rest of its meaning."""
    clause, mark, rest = re.sub("^filled in: ", "", text).partition(";")
    if ":" in clause:
        clause, mark, rest = text.partition(":")
    first, stop, second = clause.partition(". ")
    if stop:
        clause, rest = first, f"{second}{mark}{rest}"
    label = re.sub("^whether ", "", clause).strip()
    return label[:1].upper() + label[1:], rest.strip()


def parse_form_fields(fields: list[FormField], form: Mapping[str, str]) -> dict[str, Any]:
    """Return a filled form as settings, for ``Protocol.check``; other fields are ignored.

    An empty field stands for None where that is possible, else for the default. Raises
    ``InputError`` for a number that is not one.
    """
    texts = {field: form[field.name].strip() for field in fields if field.name in form}
    return {
        field.name: field.parse(text) if text else None
        for field, text in texts.items()
        if text or field.empty
    }


def _control(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the control for values of a JSON schema; None if a form has none for it."""
    every = schema.get("anyOf", [schema])
    kinds = [each for each in every if each.get("type") != "null"]
    empty = len(kinds) < len(every)
    match kinds:
        case [{"enum": values}]:
            options = tuple(str(value) for value in values if value is not None)
            return {"kind": "choice", "options": options, "empty": empty or None in values}
        case [{"about": _}]:  # what is there already
            return None
        case [{"type": "string", "format": "words", "maxLength": int(most)}]:
            return {"kind": "lines" if most > LINE else "text", "high": str(most)}
        case [{"type": "boolean"}]:
            return {"kind": "flag"}
        case [{"type": "integer" | "number" as kind, **number}]:
            low = number.get("minimum", number.get("exclusiveMinimum"))
            beyond = number.get("exclusiveMaximum")
            high = number.get("maximum", beyond and beyond - (kind == "integer"))
            return {"kind": kind, "empty": empty, "low": _write(low), "high": _write(high)}
    return None


def _write(value: object) -> str:
    """Return a value as the text of a control."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_budget(form: Mapping[str, str]) -> Budget:
    """Return the most that may be spent. Raises ``InputError`` naming what is not a number."""
    caps: dict[str, Any] = {}
    for name, kind in (("cost", float), ("calls", int)):
        if text := form.get(f"max_{name}", "").strip():
            try:
                caps[name] = msgspec.convert(text, kind, strict=False)
            except msgspec.ValidationError:
                raise InputError(f"the most {name}: {text[:80]!r} is no number") from None
    return Budget(**caps)
