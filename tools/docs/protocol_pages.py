"""A page for each protocol of moot, made from the protocol."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, get_args, get_type_hints

import msgspec

from markdown_tables import join_code, settings_table, simple_table
from moot.cli.console import run_async
from moot.core.errors import InputError
from moot.core.events import Transcript
from moot.debate.protocol import Protocol, registry
from moot.debate.protocol_settings import CONCISE
from moot.reports.portrait import STEPS, Portrait, describe_protocol, format_setting
from moot.reports.reading_graph import draw_reading_graph
from moot.studies.dry_run import MOST, rehearse_debate, shrink_settings

ASKED = '"How many legs do 3 cats have?" --kind number'


class PageExample(msgspec.Struct, frozen=True):
    """A debate to try a protocol with.

    Attributes:
        asked: the question and its kind, as they are given to ``moot ask``.
        settings: what makes its transcript short enough to read.
    """

    asked: str = ASKED
    settings: tuple[str, ...] = ()


def find_example(name: str) -> PageExample:
    """Return what a protocol is tried with; the TOML file has what is not usual."""
    content = Path(__file__).with_suffix(".toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, PageExample]).get(name, PageExample())


def list_shipped_protocols() -> Iterator[Protocol]:
    """Yield moot's own protocols."""
    return (each for each in registry if each.algorithm.__module__.startswith("moot."))


def write_page(protocol: Protocol) -> str:
    """Return the page of a protocol; it is not drawn where its library is not installed."""
    rehearsals = run_async(_rehearse_variants(protocol)) if protocol.is_installed else []
    about = as_markdown(describe_protocol(protocol), rehearsals)
    return f"{about}\n## Try it\n\n```sh\n{example_command(protocol)}\nmoot show ask\n```\n"


async def _rehearse_variants(protocol: Protocol) -> list[tuple[Mapping[str, Any], Transcript]]:
    """Return rehearsals at default settings and at every choice that changes who reads whom.

    A choice with which a debate is too long to draw is left out.
    """
    found: list[tuple[Mapping[str, Any], Transcript]] = []
    seen: set[str] = set()
    for given in ({}, *alternatives(protocol)):
        settings = shrink_settings(protocol, given)
        checked = protocol.check(settings)
        if given and "nodes" not in checked and protocol.count(checked)[1] > MOST:
            continue
        rehearsed = await rehearse_debate(protocol, checked)
        if (picture := draw_reading_graph(rehearsed)) not in seen:
            seen.add(picture)
            found.append((settings, rehearsed))
    return found


def alternatives(protocol: Protocol) -> Iterator[dict[str, Any]]:
    """Yield each of its own settings that is a switch or a choice at each value but the default.

    A value that needs other settings beside it is left out.
    """
    kinds = get_type_hints(protocol.own)
    defaults = {**protocol.omitted, **protocol.check({}, absent=True)}
    for name in protocol.own.__struct_fields__:
        values = (False, True) if kinds[name] is bool else get_args(kinds[name])
        for value in values:
            if isinstance(value, bool | int | str) and value != defaults[name]:
                try:
                    protocol.check({name: value})
                except InputError:
                    continue
                yield {name: value}


def as_markdown(seen: Portrait, rehearsals: Sequence[tuple[Mapping[str, Any], Transcript]]) -> str:
    """For a page of its own.

    Args:
        seen: the protocol.
        rehearsals: debates by it, each with the settings that differ from their defaults.
    """
    parts = [f"# {seen.name}", seen.summary.replace("``", "`")]
    parts += [each.replace("``", "`") for each in (seen.use, *seen.about) if each]
    roles = join_code(seen.roles) or seen.other_roles
    modulated = any(setting.name == "agreement" for setting in seen.settings)
    agreement = "0 to 100 %, or not told" if modulated else "none"
    parts.append(
        f"- Source: {seen.paper}\n"
        f"- Calls of one debate: {mark_calls(seen)}; at default settings {seen.at_defaults}\n"
        f"- Roles: {roles}\n"
        f"- [Agreement](README.md#agreement): {agreement}"
    )
    if seen.needs:
        parts[-1] += f"\n- Needs: `pip install '{seen.needs}'`"
    own = [setting for setting in seen.settings if setting.name in seen.own]
    parts.append("## Settings")
    if own:
        parts.append(settings_table(own))
    parts.append(
        f"It {'also ' if own else ''}has the [settings of every protocol]"
        "(README.md#settings-of-every-protocol)."
    )
    if modulated and seen.modulates:
        parts += ["## Agreement", _agreements(seen)]
    if seen.differs:
        items = [f"- {each}" for each in seen.differs]
        parts += ["## Where it differs from paper and code", "\n".join(items).replace("``", "`")]
    if rehearsals:
        parts.append("## Who reads whom")
    for given, rehearsed in rehearsals:
        settings = ", ".join(f"`{name} = {format_setting(value)}`" for name, value in given.items())
        parts.append(f"With {settings}:" if given else "At default settings:")
        parts.append(f"```text\n{draw_reading_graph(rehearsed)}\n```")
    return "\n\n".join(parts) + "\n"


def mark_calls(seen: Portrait) -> str:
    """Return the formulas of calls, each marked as code in Markdown."""
    return " to ".join(f"`{each}`" for each in seen.calls.split(" to "))


def _agreements(seen: Portrait) -> str:
    """Return what agents are told at each percentage, as a table in Markdown."""
    places = join_code(seen.modulates)
    rows = (
        (str(step), " ".join(text.split()))
        for step, text in zip(STEPS, seen.agreement, strict=True)
    )
    told = simple_table(("`agreement`", "what it says"), rows)
    return f"The instruction stands in {places}.\n\n{told}"


def example_command(protocol: Protocol) -> str:
    """Return the command that holds a short debate by this protocol."""
    example = find_example(protocol.name)
    settings = [*example.settings]
    defaults = {each.name: each.default for each in msgspec.structs.fields(protocol.settings)}
    short = () if defaults["style"] == CONCISE else ("style=simple",)  # both ask for a short reply
    for usual in (*short, "seed=1", "max_tokens=80"):
        name = usual.partition("=")[0]
        if not any(setting.startswith(f"{name}=") for setting in settings):
            settings.append(usual)
    sets = " ".join(f"--set {setting}" for setting in settings)
    line = f"moot ask {example.asked} --protocol {protocol.name} {sets}"
    line = re.sub("(--[a-z]+) ", "\\1\0", line)  # an option and its value stay on one line
    lines = wrap(line, 78, subsequent_indent="    ", break_on_hyphens=False)
    return " \\\n".join(lines).replace("\0", " ")
