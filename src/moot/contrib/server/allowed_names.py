"""The endpoint's model names, and whether the server's owner allows a debate.

A name is a preset of the server's file, or ``PROTOCOL:PROVIDER/MODEL?setting=value&…``. Where one
model alone is allowed, its name may be left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import msgspec

from moot import InputError, UnknownName
from moot.contrib.server.config import ServerConfig, ServerPreset
from moot.extend.faults import check_known
from moot.extend.protocols import Protocol, models_in, protocols
from moot.extend.studies import QuestionPlan

_PART = r"[A-Za-z0-9][A-Za-z0-9._:@+-]*"
MODEL_PATTERN = f"{_PART}(?:/{_PART})*"
"""The texts that ``*`` matches: a model's name, never a path, an address or options."""
MAX_NAME = 8192
"""The most characters of a name."""
MAX_SETTINGS = 16_384
"""The most bytes of the settings beside it."""


class NotAllowed(InputError):
    """A model, protocol or file that exists, but is not allowed by the server's owner."""


class UnknownDebate(UnknownName):
    """A name that is no preset, and no protocol with a model; its text says how one is written."""

    def __init__(self, config: ServerConfig, name: str) -> None:
        names = list_names(config)
        super().__init__("model", name[:200], config.presets, where="model")
        full = name if is_listed(config.models, name) else config.models[0]
        model, alone = _short(full), len(config.models) == 1
        bare = alone and "?" in full  # the name without its options is not allowed: leave it out
        usual = (
            "society-of-minds" if "society-of-minds" in config.protocols else config.protocols[0]
        )
        example = f"{name if name in config.protocols else usual}{'' if bare else f':{model}'}"
        form = "PROTOCOL" if bare else f"PROTOCOL:{model if alone else 'PROVIDER/MODEL'}"
        presets = f"a preset ({', '.join(config.presets)}) or " if config.presets else ""
        hint = f"did you mean {self.nearest!r}? " if self.nearest else ""
        star = " (* stands for any name)" if "*" in model else ""
        listed = f"; GET /v1/models lists {len(names)}" if names else ""
        text = f"{hint}Say {presets}{form}, for example {example}{star}{listed}."
        self.args = (f"model: unknown model {name[:200]!r}; {text}",)


class DebateChoice(NamedTuple):
    """The debate that a client chose.

    Attributes:
        protocol: the protocol's name.
        settings: those that are set, ``model`` among them.
        prompts: the owner's file of prompts.
        seeded: whether the client, not the owner of a preset, has given a seed.
    """

    protocol: str
    settings: dict[str, Any]
    prompts: Path | None = None
    seeded: bool = False


def list_names(config: ServerConfig) -> list[str]:
    """Return every name that the endpoint lists: presets, then each protocol with each model.

    A pattern such as ``openai/*`` is no name that can be asked, so it is not listed.
    """
    models = [model for model in config.models if "*" not in model]
    return [*config.presets, *(f"{each}:{model}" for each in config.protocols for model in models)]


def describe_name(config: ServerConfig, name: str) -> str:
    """Return how the debates of a name go, in a line: what the owner says, or the protocol."""
    head = name.partition("?")[0]
    preset = config.presets.get(head)
    if preset is not None and preset.about:
        return preset.about
    known = protocols.get(preset.protocol if preset else head.partition(":")[0])
    if preset is None:
        return known.summary
    return f"{known.summary} ({known.name}, {_short(preset.settings['model'])})"


def parse_name(
    config: ServerConfig, name: str, given: Mapping[str, Any] | None = None
) -> DebateChoice:
    """Return the debate that a name and the settings given beside it choose.

    Raises:
        UnknownName: there is no such preset, protocol or setting.
        NotAllowed: the owner does not allow it.
        InputError: the name is malformed, or a setting has an impossible value.
    """
    if len(name) > MAX_NAME:
        raise InputError(f"model: its name has more than {MAX_NAME} characters")
    head, _, query = name.partition("?")
    preset = config.presets.get(head)
    if preset is not None:
        own = _settings(query)
        chosen = DebateChoice(preset.protocol, {**preset.settings, **own}, preset.prompts)
    else:
        protocol, colon, rest = _add_only_model(config, name).partition(":")
        if not colon or "/" in protocol or "?" in protocol:
            raise UnknownDebate(config, head)
        check_known("protocol", [protocol], config.protocols, where="model")
        model, query = _split(config, rest)
        own = _settings(query)
        chosen = DebateChoice(protocol, {"model": model, **own})
    beside = dict(given or {})
    if "model" in beside:
        raise InputError("model: name the model in the request's model, PROTOCOL:PROVIDER/MODEL")
    if (
        len(msgspec.json.encode(beside)) > MAX_SETTINGS
    ):  # each node of a network takes time to check
        raise InputError(f"settings: they have more than {MAX_SETTINGS} bytes, written in JSON")
    seeded = "seed" in own or "seed" in beside
    chosen = chosen._replace(settings={**chosen.settings, **beside}, seeded=seeded)
    check_allowed(config, chosen, preset)
    return chosen


def check_allowed(
    config: ServerConfig, chosen: DebateChoice, preset: ServerPreset | None = None
) -> None:
    """Check that the owner allows every model, protocol and file that any setting names.

    Args:
        config: what the owner allows.
        chosen: the debate.
        preset: the preset that it is based on, if any: everything it names is allowed, too.

    Raises:
        NotAllowed: the owner does not allow it.
        UnknownName: there is no such setting.
        InputError: a setting has an impossible value.
    """
    protocol = protocols.get(chosen.protocol)
    checked = protocol.check(chosen.settings, overlay=chosen.prompts)
    _check(config, chosen._replace(settings=checked), preset)


def check_plan(
    config: ServerConfig,
    prepared: QuestionPlan,
    is_uploaded: Callable[[object], bool] = lambda _: False,
) -> None:
    """Check a debate just before it starts, for all pages and endpoints.

    Args:
        config: what the owner allows.
        prepared: the debate.
        is_uploaded: whether a folder of documents is one that this server keeps for its clients.

    Raises:
        NotAllowed: neither the lists nor any preset name a model, protocol or file of it.
    """
    settings = dict(prepared.settings)
    if is_uploaded(msgspec.convert(settings, _NamingSettings).evidence):
        settings["evidence"] = ""
    chosen = DebateChoice(prepared.protocol.name, settings, prepared.overlay)
    try:
        _check(config, chosen, None)
    except NotAllowed:
        for preset in config.presets.values():
            with suppress(NotAllowed):
                return _check(config, chosen, preset)
        raise


def _check(config: ServerConfig, chosen: DebateChoice, preset: ServerPreset | None) -> None:
    """Check a debate whose settings are checked and complete; see ``check_allowed``."""
    own = set() if preset is None else set(_list_named(_choice_of(preset)))
    for kind, name in _list_named(chosen):
        if (kind, name) in own:
            continue
        if kind == "protocol" and name not in config.protocols:
            raise NotAllowed(f"protocol {name!r} is not allowed here{_list(config.protocols)}")
        if kind == "model" and not is_listed(config.models, name):
            raise NotAllowed(f"model {_short(name)!r} is not allowed here{_list(config.models)}")
        if kind == "prompts":
            raise NotAllowed("prompts: a file is for the server's owner to set, in a preset")
        if kind.startswith("setting "):
            raise NotAllowed(
                f"{kind}: it may name a file or an address, so it is for the server's "
                "owner to set, in a preset"
            )


def is_listed(listed: Iterable[str], model: str) -> bool:
    """Whether one of the names or patterns matches this model; a pattern matches no options."""
    return any(_pattern(one).fullmatch(model) for one in listed)


@lru_cache(maxsize=1024)
def _pattern(listed: str) -> re.Pattern[str]:
    if "?" in listed:
        return re.compile(re.escape(listed))
    return re.compile(MODEL_PATTERN.join(map(re.escape, listed.split("*"))))


_HARMLESS = frozenset(
    {"model", "style", "decision", "stop", "cast", "nodes", "edges", "inner", "put"}
    | {"until", "draft"}
)
"""Text settings that are checked by themselves, or name nothing outside the debate."""
_BOUNDED = re.compile(r"(?:(?:int|float|bool|none|'[^']*'|[<>]=?|[-+.e\d]+|or|\|)\s*)+")
"""Types, in the words of ``SettingInfo``, of numbers and fixed words: their values name nothing."""
_SHOWN = 12


def _choice_of(preset: ServerPreset) -> DebateChoice:
    """Return the debate of a preset, with its settings checked and complete."""
    checked = protocols.get(preset.protocol).check(preset.settings, overlay=preset.prompts)
    return DebateChoice(preset.protocol, checked, preset.prompts)


class _NamingSettings(msgspec.Struct):
    model: str = ""
    inner: dict[str, Any] | str | None = None
    evidence: Any = None
    nodes: list[dict[str, Any]] = []
    cast: list[dict[str, Any]] = []


def _list_named(chosen: DebateChoice) -> Iterator[tuple[str, str]]:
    """Yield the kind of each thing that a debate names, and its name or text.

    A kind is ``protocol``, ``model``, ``setting NAME`` or ``prompts``. Nodes of a network and the
    debate behind a gate count, at any depth.
    """
    parts = [(chosen.protocol, chosen.settings)]
    for _, settings in parts:  # it grows
        given = msgspec.convert(settings, _NamingSettings)
        inside = [*given.nodes, *([given.inner] if isinstance(given.inner, dict) else [])]
        parts += [(part["protocol"], part) for part in inside]
    yield from (("protocol", protocol) for protocol, _ in parts)
    usual = {"model": msgspec.convert(chosen.settings, _NamingSettings).model}
    yield from (("model", model) for _, own in parts for model in models_in(usual | own))
    for protocol, settings in parts:
        for entry in msgspec.convert(settings, _NamingSettings).cast:
            if entry.get("evidence"):
                yield "setting evidence", repr(entry["evidence"])
        for setting in protocols.get(protocol).described_settings:
            value = settings.get(setting.name)
            if setting.name in _HARMLESS or value is None or value == setting.default:
                continue
            if not (setting.in_words or _BOUNDED.fullmatch(setting.type)):  # a free text
                yield f"setting {setting.name}", repr(value)
    if chosen.prompts is not None:
        yield "prompts", str(chosen.prompts)


def _settings(query: str) -> dict[str, Any]:
    """Return the settings after a name's question mark; lists and tables are in JSON."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise InputError("model: settings are written ?setting=value&setting=value") from None
    found: dict[str, Any] = {}
    for name, text in pairs:
        if name in found:
            raise InputError(f"model: the setting {name} is set twice")
        if name == "model":
            raise InputError("model: name the model before the question mark")
        found[name] = Protocol.decode_list(text, f"model: setting {name}")
    return found


def _split(config: ServerConfig, rest: str) -> tuple[str, str]:
    """Split a model's name from the settings after it. A model may be listed with options."""
    whole = [one for one in config.models if "?" in one and f"{rest}&".startswith(f"{one}&")]
    if whole:
        model = max(whole, key=len)
        return model, rest[len(model) + 1 :]
    model, _, query = rest.partition("?")
    return model, query


def _add_only_model(config: ServerConfig, name: str) -> str:
    """Return a name that is a protocol alone with the one model that is allowed, if it is one."""
    protocol, mark, query = name.partition("?")
    if protocol not in config.protocols or len(config.models) > 1 or "*" in config.models[0]:
        return name
    [model] = config.models
    joint = ("&" if "?" in model else "?") if mark else ""
    return f"{protocol}:{model}{joint}{query}"


def _short(model: str) -> str:
    """Return a model's name without its options, which may be secret; ``?…`` stands for them."""
    name, mark, _ = model.partition("?")
    return f"{name[:200]}{'?…' * bool(mark)}"


def _list(valid: Iterable[str]) -> str:
    names = [_short(name) for name in valid]
    more = "" if len(names) <= _SHOWN else f" and {len(names) - _SHOWN} more"
    star = "" if not any("*" in name for name in names) else "; * stands for any name"
    return f"; allowed are {', '.join(names[:_SHOWN])}{more}{star}"
