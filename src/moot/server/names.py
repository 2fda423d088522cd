"""What a client may ask for: the endpoint's model names, and whether an owner allows a debate.

A name is a preset of the server's file, or ``PROTOCOL:PROVIDER/MODEL?setting=value&…``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.debate.cast import decoded, speaking
from moot.debate.protocol import registry as protocols
from moot.server.config import Preset, ServerConfig
from moot.studies.ask import QuestionPlan

_PART = r"[A-Za-z0-9][A-Za-z0-9._:@+-]*"
ANY = f"{_PART}(?:/{_PART})*"
"""What ``*`` stands for: a model's name, never a path, an address or options."""
LONGEST = 8192
"""Characters that a name has at most."""
SETTINGS = 16_384
"""Bytes that the settings beside it have at most."""


class NotAllowed(InputError):
    """Something that is, but that the server's owner has not allowed."""


class Chosen(NamedTuple):
    """How a client wants a question to be debated.

    Attributes:
        protocol: the algorithm's name.
        settings: those that are set, ``model`` among them.
        prompts: the owner's file of prompts.
        seeded: whether the client, not the owner of a preset, has given a seed.
    """

    protocol: str
    settings: dict[str, Any]
    prompts: Path | None = None
    seeded: bool = False


def names(config: ServerConfig) -> list[str]:
    """Every name the endpoint lists: the presets, then each protocol with each model in full.

    Models that the owner allows by a pattern are listed by the pattern.
    """
    pairs = (f"{protocol}:{model}" for protocol in config.protocols for model in config.models)
    return [*config.presets, *pairs]


def choose(config: ServerConfig, name: str, given: Mapping[str, Any] | None = None) -> Chosen:
    """What a name of the endpoint stands for, with settings that are given beside it.

    Raises:
        UnknownName: there is no such preset, protocol or setting.
        NotAllowed: the owner does not allow it.
        InputError: the name cannot be read, or a setting has a value that cannot be.
    """
    if len(name) > LONGEST:
        raise InputError(f"model: its name has more than {LONGEST} characters")
    head, _, query = name.partition("?")
    preset = config.presets.get(head)
    if preset is not None:
        own = _settings(query)
        chosen = Chosen(preset.protocol, {**preset.settings, **own}, preset.prompts)
    else:
        protocol, colon, rest = name.partition(":")
        if not colon or "/" in protocol or "?" in protocol:
            raise _unknown(config, head)
        if protocol not in config.protocols:
            raise UnknownName("protocol", protocol, config.protocols, where="model")
        model, query = _split(config, rest)
        own = _settings(query)
        chosen = Chosen(protocol, {"model": model, **own})
    beside = dict(given or {})
    if "model" in beside:
        raise InputError("model: who debates stands in the model's name, PROTOCOL:PROVIDER/MODEL")
    if len(msgspec.json.encode(beside)) > SETTINGS:  # each node of a network takes time to check
        raise InputError(f"settings: they have more than {SETTINGS} bytes, written in JSON")
    seeded = "seed" in own or "seed" in beside
    chosen = chosen._replace(settings={**chosen.settings, **beside}, seeded=seeded)
    allow(config, chosen, preset)
    return chosen


def allow(config: ServerConfig, chosen: Chosen, preset: Preset | None = None) -> None:
    """Whether the owner allows this: every model, protocol and file that any setting names.

    Args:
        config: what the owner allows.
        chosen: what is asked for.
        preset: where it began as one, that preset: what it names is allowed, too.

    Raises:
        NotAllowed: the owner does not.
        UnknownName: a setting that does not exist.
        InputError: a value that cannot be.
    """
    checked = protocols.get(chosen.protocol).check(chosen.settings)
    _allow(config, chosen._replace(settings=checked), preset)


def check(config: ServerConfig, prepared: QuestionPlan) -> None:
    """The last look at a debate before it is begun, wherever it comes from.

    Raises ``NotAllowed`` for a model, protocol or file that neither the lists nor any preset name.
    """
    chosen = Chosen(prepared.protocol.name, prepared.settings, prepared.overlay)
    try:
        _allow(config, chosen, None)
    except NotAllowed:
        for preset in config.presets.values():
            with suppress(NotAllowed):
                return _allow(config, chosen, preset)
        raise


def _allow(config: ServerConfig, chosen: Chosen, preset: Preset | None) -> None:
    """``allow``, for settings every one of which is worked out."""
    models, protocol_names, texts = _of(preset) if preset else _NOTHING
    for protocol in _debating(chosen.protocol, chosen.settings):
        if protocol not in config.protocols and protocol not in protocol_names:
            raise NotAllowed(f"protocol {protocol!r} is not allowed here{_among(config.protocols)}")
    for model in speaking(chosen.settings):
        if model not in models and not allows(config.models, model):
            raise NotAllowed(f"model {_short(model)!r} is not allowed here{_among(config.models)}")
    for name, text in _texts(chosen.protocol, chosen.settings):
        if (name, text) not in texts:
            raise NotAllowed(
                f"setting {name}: it may name a file or an address, so it is for the server's "
                "owner to set, in a preset"
            )
    if chosen.prompts is not None and (preset is None or chosen.prompts != preset.prompts):
        raise NotAllowed("prompts: a file is for the server's owner to set, in a preset")


def allows(listed: Iterable[str], model: str) -> bool:
    """Whether one of the names or patterns is for this model; a pattern never is for options."""
    return any(_pattern(one).fullmatch(model) for one in listed)


@lru_cache(maxsize=1024)
def _pattern(listed: str) -> re.Pattern[str]:
    if "?" in listed:
        return re.compile(re.escape(listed))
    return re.compile(ANY.join(map(re.escape, listed.split("*"))))


Names = tuple[frozenset[str], frozenset[str], frozenset[tuple[str, str]]]
_NOTHING: Names = (frozenset(), frozenset(), frozenset())
_HARMLESS = frozenset({"model", "style", "decision", "cast", "nodes", "edges", "put"})
"""Settings of any text that are looked at by themselves, or name nothing outside the debate."""
_BOUNDED = re.compile(r"(?:(?:int|float|bool|none|'[^']*'|[<>]=?|[-+.e\d]+|or|\|)\s*)+")
"""Types, in the words of ``Setting``, whose values can name nothing: numbers and given words."""
_SHOWN = 12


def _of(preset: Preset) -> Names:
    """The models, protocols and free texts that a preset names."""
    checked = protocols.get(preset.protocol).check(preset.settings)
    return (
        frozenset(speaking(checked)),
        frozenset(_debating(preset.protocol, checked)),
        frozenset(_texts(preset.protocol, checked)),
    )


def _debating(protocol: str, settings: Mapping[str, Any]) -> Iterator[str]:
    """The protocol, and those of the nodes of a network and of theirs."""
    yield protocol
    for node in settings.get("nodes", ()):
        yield from _debating(node["protocol"], node)


def _texts(protocol: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every setting that is set to a text of any kind: it may name a file, a model, an address."""
    for setting in protocols.get(protocol).described:
        value = settings.get(setting.name)
        if setting.name in _HARMLESS or value is None or value == setting.default:
            continue
        if not _BOUNDED.fullmatch(setting.type):
            yield setting.name, repr(value)
    for node in settings.get("nodes", ()):
        yield from _texts(node["protocol"], node)


def _settings(query: str) -> dict[str, Any]:
    """The settings after a name's question mark; lists and tables are written in JSON."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise InputError("model: settings are written ?setting=value&setting=value") from None
    found: dict[str, Any] = {}
    for name, text in pairs:
        if name in found:
            raise InputError(f"model: the setting {name} is set twice")
        if name == "model":
            raise InputError("model: who debates stands before the question mark")
        found[name] = decoded(text, f"model: setting {name}")
    return found


def _split(config: ServerConfig, rest: str) -> tuple[str, str]:
    """A model's name and the settings after it. One that is listed with options may have these."""
    whole = [one for one in config.models if "?" in one and f"{rest}&".startswith(f"{one}&")]
    if whole:
        model = max(whole, key=len)
        return model, rest[len(model) + 1 :]
    model, _, query = rest.partition("?")
    return model, query


def _unknown(config: ServerConfig, name: str) -> UnknownName:
    valid = [*config.presets, f"{config.protocols[0]}:{config.models[0]}"]
    return UnknownName("model", name[:200], valid, where="model")


def _short(model: str) -> str:
    """A model's name without its options, which may be secret."""
    return model.partition("?")[0][:200]


def _among(valid: Iterable[str]) -> str:
    names = [_short(name) for name in valid]
    more = "" if len(names) <= _SHOWN else f" and {len(names) - _SHOWN} more"
    return f"; allowed are {', '.join(names[:_SHOWN])}{more}"
