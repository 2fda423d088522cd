"""Drafts of essays: what an essay has so far, as a file that a person edits and goes on from."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import msgspec

from moot import InputError
from moot.contrib.essays.persona_lists import MOST, Persona
from moot.extend.calls import format_toml, parse_toml, read_small
from moot.extend.faults import check_known, split_fault
from moot.extend.words import replace_surrogates


class DraftRemark(msgspec.Struct, frozen=True, kw_only=True):
    """A contribution to the discussion of a draft.

    Attributes:
        speaker: ``Agent A``, ``Agent B`` … in the order of the team, ``Critic``, or ``Moderator``
            who plays the whole discussion.
        text: the words.
    """

    speaker: str
    text: str


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The stages that an essay has so far. A stage that is empty is not there.

    Attributes:
        proposition: what is argued over.
        protocol: by which it is written.
        settings: those that are not the protocol's defaults, and the stance.
        personas: the pool.
        team: the personas that discuss.
        dialogue: the discussion.
        plan: what the essay is to say.
        essay: its text.
    """

    proposition: str
    protocol: str
    settings: dict[str, Any] = {}
    personas: tuple[Persona, ...] = ()
    team: tuple[Persona, ...] = ()
    dialogue: tuple[DraftRemark, ...] = ()
    plan: str = ""
    essay: str = ""

    @property
    def stages(self) -> dict[str, Any]:
        """The stages that are there, as the setting ``draft`` of a protocol takes them."""
        every = {
            "personas": [_describe(each) for each in self.personas],
            "selection": [_describe(each) for each in self.team],
            "debate": [msgspec.structs.asdict(each) for each in self.dialogue],
            "plan": self.plan,
            "essay": self.essay,
        }
        return {stage: content for stage, content in every.items() if content}


PERSONA, _REMARK = ("description", "claim", "reason"), ("speaker", "text")
"""The keys of a persona, and of a part of the discussion."""


def _describe(persona: Persona) -> dict[str, str]:
    fields = {name: getattr(persona, name) for name in PERSONA}
    return {name: text for name, text in fields.items() if text}


_HEAD = """\
# A draft of moot write. Edit it, and go on with: moot write --from THIS_FILE
#
# What stands here is taken as it is, and is neither asked nor paid for again: not the stages that
# are here, and none before them. What follows the last stage that is here is made anew. So after
# a change, delete the stages that are to be made anew because of it: with the team changed, delete
# all of [[dialogue]], [plan] and [essay], and the new team debates; with the plan changed, delete
# [essay] alone.

"""
_NOTES = {
    "settings": "Settings of the protocol; those that are not here have their defaults.",
    "personas": "The pool, from which the team is selected. Change, add or remove personas: "
    f"{MOST} at most.",
    "team": "The team: who each member is, what it claims, and why it was chosen (may be left "
    "out).",
    "dialogue": "The discussion, in order. Agent A is the first of the team, Agent B the second; "
    "the others are the Critic, or the Moderator who plays it alone. Change, add or remove what "
    "is said.",
    "plan": "The plan, from which the essay is written: main points with numbers, sub-points "
    "below them with dashes.",
    "essay": "The essay. Edit it, and have it checked and written to a file, for no call: moot "
    "write --from THIS_FILE --output essay.docx. A remark has it revised: --revise REMARK",
}
"""The help for each part of the file: the changes that it may have."""


def format_draft(draft: Draft) -> str:
    """Return a draft as TOML, with comments that say what may be changed."""
    return _HEAD + "\n".join(_format_parts(draft))


def _format_parts(draft: Draft) -> Iterator[str]:
    yield _format_fields({"proposition": draft.proposition, "protocol": draft.protocol})
    yield f"{_comment('settings')}[settings]\n{_format_fields(draft.settings)}"
    tables: dict[str, Iterable[Mapping[str, Any]]] = {
        "personas": map(_describe, draft.personas),
        "team": map(_describe, draft.team),
        "dialogue": map(msgspec.structs.asdict, draft.dialogue),
    }
    for name, rows in tables.items():
        for place, row in enumerate(rows):
            yield f"{'' if place else _comment(name)}[[{name}]]\n{_format_fields(row)}"
    for name, text in (("plan", draft.plan), ("essay", draft.essay)):
        if text:
            yield f"{_comment(name)}[{name}]\n{_format_fields({'text': text})}"


def _comment(part: str) -> str:
    """Return the comment before a part, in lines of at most 100 characters."""
    return "".join(f"# {line}\n" for line in wrap(_NOTES[part], 97))


def _format_fields(fields: Mapping[str, Any]) -> str:
    lines = []
    for name, value in fields.items():
        shown = replace_surrogates(value) if isinstance(value, str) else value
        text = _format_text(shown) if isinstance(shown, str) else format_toml(shown)
        lines.append(f"{name} = {text}\n")
    return "".join(lines)


def _format_text(text: str) -> str:
    """Return a text as TOML writes it over several lines; one without line breaks stays on one."""
    if "\n" not in text:
        return format_toml(text)
    lines = (format_toml(line)[1:-1].replace('\\"', '"') for line in text.split("\n"))
    body = re.sub(r'"(?="|\Z)', r"\"", "\n".join(lines))
    return f'"""\n{body}"""'


def read_draft(path: str | Path) -> Draft:
    """Read a draft.

    Raises:
        InputError: it cannot be read, or is none; the text names the place.
    """
    try:
        content = read_small(Path(path))
    except OSError as error:
        raise InputError(f"draft {path}: {error.strerror or error}") from None
    return parse_draft(content, where=f"draft {path}")


def parse_draft(content: bytes, *, where: str) -> Draft:
    """Return the draft in the bytes of a file. Raises ``InputError``, see ``read_draft``.

    Args:
        content: in UTF-8.
        where: names the file in errors.
    """
    table = parse_toml(content, where=where)
    check_known("key", table, Draft.__struct_fields__, where=where)
    texts = {
        name: _convert(table.get(name), str, f"{where}: {name}")
        for name in ("proposition", "protocol")
    }
    return Draft(
        **texts,
        settings=_convert(table.get("settings", {}), dict[str, Any], f"{where}: settings"),
        personas=read_personas_given(table.get("personas"), f"{where}: personas"),
        team=read_personas_given(table.get("team"), f"{where}: team"),
        dialogue=read_dialogue_given(table.get("dialogue"), f"{where}: dialogue"),
        plan=_read_text(table, "plan", where),
        essay=_read_text(table, "essay", where),
    )


def read_personas_given(rows: object, where: str) -> tuple[Persona, ...]:
    """Return personas that are given, each text on one line; none for None.

    Raises:
        InputError: one is no persona, or there are too many.
    """
    found = []
    for place, row in enumerate(_convert(rows or [], list[Any], where), 1):
        each = _convert(row, Persona, at := f"{where}[{place}]", PERSONA)
        lines = {name: " ".join(getattr(each, name).split()) for name in PERSONA}
        if not lines["description"]:
            raise InputError(f"{at}: its description is empty; say who it is")
        found.append(msgspec.structs.replace(each, **lines))
    if len(found) > MOST:
        raise InputError(f"{where}: {len(found)} personas; there may be {MOST} at most")
    return tuple(found)


def read_dialogue_given(rows: object, where: str) -> tuple[DraftRemark, ...]:
    """Return a discussion that is given; none for None. Raises ``InputError`` if it is none."""
    found = []
    for place, row in enumerate(_convert(rows or [], list[Any], where), 1):
        found.append(_convert(row, DraftRemark, at := f"{where}[{place}]", _REMARK))
        if not found[-1].text.strip():
            raise InputError(f"{at}: its text is empty; write it, or delete this part")
    return tuple(found)


class _StageText(msgspec.Struct, frozen=True):
    """The table of a stage that is one text."""

    text: str


def _read_text(table: Mapping[str, Any], name: str, where: str) -> str:
    """Return the text of a stage; empty where it is not there."""
    if name not in table:
        return ""
    text = str(_convert(table[name], _StageText, f"{where}: {name}", ("text",)).text)
    if not text.strip():
        raise InputError(f"{where}: {name}: its text is empty; write it, or delete [{name}]")
    return text


def _convert(value: object, kind: Any, where: str, keys: Sequence[str] = ()) -> Any:  # noqa: ANN401 -- of that type
    """Return a value as what it has to be; a table has these keys alone. Raises ``InputError``."""
    if value is None:
        raise InputError(f"{where}: it is missing")
    if keys and isinstance(value, Mapping):
        check_known("key", value, keys, where=where)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        place, message = split_fault(error)
        raise InputError(f"{where}: {f'{place}: ' * bool(place)}{message}") from None
