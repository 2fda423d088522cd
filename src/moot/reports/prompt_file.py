"""A protocol's prompts as a file of prompts: a draft to put words of one's own in."""

from collections.abc import Collection, Iterator
from typing import get_args

from moot.core.questions import Kind
from moot.debate.debate_settings import DebateSettings
from moot.prompts.packs import EVERYWHERE, Step
from moot.prompts.templates import slots_of, spoken_slots

KINDS = ("role", "step", "part", "form", "question", "agreement")
"""The tables of prompts in such a file, beside the styles of its agents."""


def write_prompts(settings: DebateSettings) -> str:
    """Return the prompts of a debate with these settings, in TOML, each with its slots.

    Laid in as it is, the file changes no word. It has a protocol's prompts alone: those that all
    protocols share are written as the protocol's own.
    """
    pack, name = settings.pack(), settings.protocol.name
    styles = {f"style.{style}" for style in settings.styles}
    shown = dict(pack.list_prompts(*KINDS))
    if not settings.protocol.pack().places("agreement"):
        shown.pop("agreement", None)
    ways = {*get_args(Kind), *settings.styles}
    shown = {name: shown[name] for name in shown if _is_used(name, ways)}
    shown |= {each: step for each, step in pack.list_prompts("style") if each in styles}
    lines = [
        f"# The prompts of {name}. Put your own words in; leave out what is to stay as it is.",
        f"# Slots for any role, step or style: {', '.join(sorted(EVERYWHERE))}.",
    ]
    for each, step in shown.items():
        lines += ["", *_write_step(name, each, step)]
    return "\n".join(lines)


def _is_used(name: str, ways: Collection[str]) -> bool:
    """Return whether a prompt can be sent: a form is that of a kind, or of a style in force."""
    kind, _, form = name.partition(".")
    return kind != "form" or form in ways


def _write_step(protocol: str, name: str, step: Step) -> Iterator[str]:
    """Yield the lines of one prompt: its slots, and its table."""
    slots = slots_of(step.source, where=step.where)
    told = [f"Slots: {', '.join(sorted(slots))}."] if slots else []
    if said := spoken_slots(step.source) & slots:
        told.append(f"It shows what others said by: {', '.join(sorted(said))}.")
    yield from (f"# {each}" for each in told)
    yield f'["{protocol}".{name}]'
    if step.reads_as != "answer":
        yield f'reads_as = "{step.reads_as}"'
    if step.heard:
        yield f'heard = "{step.heard}"'
    further = {"kept": step.kept, "form": step.form, "asked": step.asked, "answered": step.answered}
    for key, text in {"text": step, **further}.items():
        if text is not None:
            yield f"{key} = {_quote(text.source)}"


def _quote(text: str) -> str:
    """Return a text as a literal of TOML that may have several lines."""
    if "'''" not in text:
        return f"'''\n{text}\n'''" if "\n" in text else f"'''{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}\n"""'
