"""Personas: the pool that an organiser writes for a proposition, and the team selected from it."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from moot import Question, Reading
from moot.extend.protocols import load_json, make_plain

MOST = 10
"""The most personas of a pool (Debate-to-Write, figure 8: five to ten)."""

LONGEST = 400
"""The most characters of a description, a claim or a reason."""


def personas_schema(question: Question) -> dict[str, Any]:  # noqa: ARG001 - as every schema
    """Return the JSON schema of a pool of personas."""
    return _schema("personas", "description", "claim")


def selection_schema(question: Question) -> dict[str, Any]:  # noqa: ARG001 - as every schema
    """Return the JSON schema of a selection."""
    return _schema("team", "description", "claim", "reason")


def _schema(name: str, *texts: str) -> dict[str, Any]:
    each = {"agent_id": {"type": "integer"}, **{key: {"type": "string"} for key in texts}}
    items = _object_schema(each)
    listed = {"type": "array", "items": items, "minItems": 1, "maxItems": MOST}
    return _object_schema({name: listed})


def _object_schema(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with all of these fields and no others."""
    closed = {"required": list(fields), "additionalProperties": False}
    return {"type": "object", "properties": fields, **closed}


class Persona(msgspec.Struct, frozen=True, kw_only=True):
    """A person who argues from a standpoint of their own.

    Attributes:
        number: the place in the pool, from 1, as the reply has it; None where it has none.
        description: the person, in one line.
        claim: what this persona holds of the proposition; empty where nothing is said.
        reason: why it was chosen for the team; empty in a pool.
    """

    number: int | None = None
    description: str
    claim: str = ""
    reason: str = ""


class Personas(Reading, frozen=True, kw_only=True):
    """The personas that a reply lists, in its order; of a selection, those it selects."""

    personas: tuple[Persona, ...]

    def in_words(self) -> str:
        """Return a numbered list: who each is, what it claims, and why it was chosen."""
        lines = []
        for number, each in enumerate(self.personas, 1):
            told = ": ".join(filter(None, (f"**{each.description}**", each.claim)))
            lines.append(f"{number}. {told}" + f" *Chosen: {each.reason}*" * bool(each.reason))
        return "\n".join(lines)


def read_personas(text: str, finished: bool = True) -> Personas | None:  # noqa: FBT001, FBT002 - as extract
    """Read a pool of personas; None where a reply describes none.

    JSON objects are read wherever they stand, one a line or in an array, in fences or not, with
    small damage and renamed keys. Without any, the items of a numbered list are read, else those
    with a bullet: a description, then a claim after the word, a colon or a dash. A persona without
    a description but with a claim is described by that. Of a reply that was cut off the
    persona it was cut in does not count, and of two described alike the first does.

    Args:
        text: the reply.
        finished: False when the reply was cut off for length.

    Source: Debate-to-Write, section 2.1 and figure 8.
    """
    return _without_repeats(
        [each for each in map(_describe, _read(text, finished=finished)) if each]
    )


def _describe(named: Persona) -> Persona | None:
    """Return a persona with a description, if need be of its claim; None without either."""
    if named.description:
        return named
    if not _bare(named.claim):
        return None
    return msgspec.structs.replace(named, description=_line(f"{CLAIMANT} {named.claim}"))


CLAIMANT = "Somebody who holds:"
"""Describes a persona of which only the claim is known."""


def read_selection(text: str, finished: bool = True) -> Personas | None:  # noqa: FBT001, FBT002 - as extract
    """Return the personas that a reply selects; for each, a number alone is enough.

    "Candidates 2, 5 and 7", without a list, selects three.
    """
    found = [_describe(each) or each for each in _read(text, finished=finished)]
    numbers = {each.number for each in found}
    if None not in numbers and len(numbers) == len(found) > len({e.description for e in found}):
        return Personas(personas=tuple(found))  # one description for all: their numbers tell them
    return _without_repeats(
        found or [Persona(number=number, description="") for number in _numbers(text)]
    )


def team_of(pool: Sequence[Persona], selected: Sequence[Persona], size: int) -> tuple[Persona, ...]:
    """Return the personas of the pool that were selected, filled up from the pool in its order.

    A persona is found by its description, even with a wrong number beside it, else by its number:
    the place in the pool, from 1, or from 0 where a selection has a 0. A selection that fits no
    persona is passed over, and a persona that is selected twice counts once.

    Args:
        pool: the personas there are.
        selected: the selected ones, each with the reason; empty where none could be read.
        size: how many are wanted; the team is smaller where the pool is.
    """
    first = 0 if any(each.number == 0 for each in selected) else 1
    chosen: dict[int, str] = {}
    for each in selected:
        place = _place(each, pool, first)
        if place is not None:
            chosen.setdefault(place, each.reason)
    chosen |= {place: "" for place in range(len(pool)) if place not in chosen}
    team = list(chosen.items())[:size]
    return tuple(msgspec.structs.replace(pool[place], reason=reason) for place, reason in team)


def show_pool(pool: Sequence[Persona]) -> str:
    """Return a pool as prompts show it: a JSON object a line, numbered from 1; reasons if any."""
    rows = [
        {"agent_id": place, "description": each.description, "claim": each.claim}
        | ({"reason": each.reason} if each.reason else {})
        for place, each in enumerate(pool, 1)
    ]
    return "\n".join(msgspec.json.encode(row).decode() for row in rows)


def _place(named: Persona, pool: Sequence[Persona], first: int) -> int | None:
    """Return the place of a persona in the pool, from 0; None for one that is not in it."""
    said = _bare(named.description)
    known = [_bare(each.description) for each in pool]
    if said in known:
        return known.index(said)
    if said:
        near = [at for at, one in enumerate(known) if one.startswith(said) or said.startswith(one)]
        if len(near) == 1:
            return near[0]
    place = None if named.number is None else named.number - first
    return place if place is not None and 0 <= place < len(pool) else None


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _without_repeats(found: Sequence[Persona]) -> Personas | None:
    once = {(_bare(each.description) or each.number): each for each in reversed(found)}
    kept = tuple(each for each in found if once[_bare(each.description) or each.number] is each)
    return Personas(personas=kept) if kept else None


_TAIL = 24_000
"""Characters read of a longer reply, at its end: a list follows its introduction."""


def _read(text: str, *, finished: bool) -> list[Persona]:
    text = text[-_TAIL:]
    found = [one for said in _objects(text, finished=finished) if (one := _persona(said))]
    if not found:
        found = [Persona(description=_line(name)) for name in _strings(text, finished=finished)]
    return found or [one for said in _items(text, finished=finished) if (one := _persona(said))]


_OBJECT = re.compile(
    r"\{(?:[^{}\"]++|\"(?:[^\"\\]|\\.){0,1000}+\"){1,200}+\}"
    r"|\{[^{}]{2,4000}+\}"  # whose quotation marks are damaged
)
_MOST = 40
"""The most objects and items that are read."""


def _objects(text: str, *, finished: bool) -> list[dict[str, str]]:
    """Return the fields of each JSON object without others in it; the last may be left open."""
    parts = [found[0] for found, _ in zip(_OBJECT.finditer(text), range(_MOST), strict=False)]
    if finished and (last := text.rpartition("{"))[1] and "}" not in last[2]:
        parts.append("{" + last[2][:4000])
    return [said for part in parts if (said := _read_fields(part))]


def _read_fields(part: str) -> dict[str, str]:
    """Return the texts and numbers of an object in JSON by the names of their fields."""
    loaded = load_json(part, _OPENS, finished=True)
    found: dict[str, str] = {}
    for key, value in loaded.items() if isinstance(loaded, dict) else ():
        said = set(re.findall("[a-z]+", str(key).casefold()))
        name = next((name for name, among in _FIELDS if said & among), None)
        if name and isinstance(value, str | int | float):
            found.setdefault(name, str(value).strip())
    return found


_OPENS = re.compile(r"\{")
_FIELDS = (
    ("reason", {"reason", "reasons", "reasoning", "explanation", "rationale", "why"}),
    (
        "claim",
        {"claim", "opinion", "viewpoint", "argument", "view", "belief", "stance", "position"},
    ),
    ("description", {"description", "profile", "background", "identity", "bio", "who"}),
    ("number", {"id", "number", "index", "no"}),
    ("role", {"persona", "role", "title"}),
    ("name", {"name", "agent", "candidate"}),
)


_NUMBERED = re.compile(
    r"(?:agent|persona|candidate|member)?[ #_]{0,3}(?:(\d{1,3})|[A-J])$", re.IGNORECASE
)


def _persona(said: dict[str, str]) -> Persona | None:
    """Return the persona of these fields; None without description, number and claim."""
    name, described = _line(said.get("name", "")), _line(said.get("description", ""))
    number = re.search(r"\d{1,3}", said.get("number", ""))
    if label := _NUMBERED.match(name):  # "Agent 3" is not a name
        number, name = number or re.search(r"\d{1,3}", label[0]), ""
    for more in (_line(said.get("role", "")), name):
        if _bare(more) not in _bare(described):
            described = f"{more}: {described}" if described else more
    claim = _line(said.get("claim", ""))
    if not (described or number or claim):
        return None
    return Persona(
        number=int(number[0]) if number else None,
        description=_line(described),
        claim=claim,
        reason=_line(said.get("reason", "")),
    )


_ARRAY = re.compile(r"\[\s{0,20}[\"']|\{\s{0,20}[\"'](?:personas|agents|team)\b")


def _strings(text: str, *, finished: bool) -> list[str]:
    """Return the texts of a JSON array of texts alone, or of one in an object."""
    loaded = load_json(text, _ARRAY, finished=finished)
    if isinstance(loaded, dict):
        loaded = next((value for value in loaded.values() if isinstance(value, list)), ())
    items = loaded if isinstance(loaded, list) else ()
    return [item for item in items if isinstance(item, str) and _line(item)]


_ITEM = re.compile(
    r"^([ \t]*)(?:[-*•#>_ ]{0,6}(?:(?:agent|persona|candidate|member) )?"
    r"#?(\d{1,2}) ?[.):-](?=[\s*_])"
    r"|[-*•#>_ ]{0,6}(?:agent|persona|candidate|member) #?(?:(\d{1,2})|[A-J])\b"
    r"[*_ ]{0,3}(?:[.):-]|(?=[(\n]))"
    r"|[-*•]\s)",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(
    r"(?:^|(?<=[.;,:!?\n )-]))[ -]{0,3}(?:(?P<claim>claim|viewpoint|opinion|argument)"
    r"|(?P<description>description|persona|profile)|(?P<reason>reason(?:ing)?|rationale)) ?[:=]",
    re.IGNORECASE,
)


def _items(text: str, *, finished: bool) -> list[dict[str, str]]:
    """Return the fields of each item of a list, without the lists within it."""
    starts = list(_ITEM.finditer(text))
    numbered = [start for start in starts if start[2] or start[3] or not _is_bullet(start[0])]
    starts = numbered or starts
    if not starts:
        return []
    outermost = min(len(start[1]) for start in starts)
    starts = [start for start in starts if len(start[1]) == outermost]
    ends = [start.start() for start in starts[1:]] + [len(text)]
    if not finished:
        starts.pop()
    found = []
    for start, end in zip(starts[:_MOST], ends, strict=False):
        body, _, _ = text[start.end() : end].partition("\n\n\n")
        number = start[2] or start[3]
        found.append(
            _split_labels(make_plain(body[:4000])) | ({"number": number} if number else {})
        )
    return found


def _is_bullet(lead: str) -> bool:
    return lead.strip() in "-*•"


def _split_labels(body: str) -> dict[str, str]:
    """Return an item's fields: by their labels, else the texts around a colon or dash."""
    labels = list(_LABEL.finditer(body))
    ends = [label.start() for label in labels[1:]] + [len(body)]
    found = {"name": body[: labels[0].start()] if labels else ""}
    for label, end in zip(labels, ends, strict=False):
        found.setdefault(label.lastgroup or "", body[label.end() : end])
    if labels:
        return found
    who, _, claim = _PARTS.sub("\0", body, count=1).partition("\0")
    return {"description": who.removeprefix("(").removesuffix(")"), "claim": claim}


_PARTS = re.compile(r"\s-+\s|:\s")


_NAMED = re.compile(
    r"\b(?:candidate|agent|persona|number)s?:? #?(\d{1,2}(?:(?:,? and |, ?)#?\d{1,2}){0,9})\b",
    re.IGNORECASE,
)


def _numbers(text: str) -> list[int]:
    """Return the numbers that a reply of a few words selects."""
    said = make_plain(text[:2000])
    return [int(each) for found in _NAMED.findall(said) for each in re.findall(r"\d+", found)]


def _line(text: str) -> str:
    """Return the text as one line without markdown, of at most 400 characters."""
    line = " ".join(make_plain(text[:4000]).split()).strip(" \"'`*_,;|-–—:")
    return line if len(line) <= LONGEST else line[:LONGEST].rpartition(" ")[0] or line[:LONGEST]
