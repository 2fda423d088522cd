"""Own people: the team of an essay as its user names it, in place of a pool and a choice."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from moot import InputError
from moot.contrib.essays.essay_brief import check_text
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.persona_lists import LONGEST, MOST, Persona
from moot.extend.calls import parse_toml, read_small
from moot.extend.faults import check_known
from moot.extend.protocols import IN_WORDS, OMITTED

PERSON_KEYS = ("name", "description", "claim")

People = Annotated[
    tuple[dict[str, str], ...],
    Meta(
        max_length=MOST,
        description="your own team, in place of a pool: each with description, name or both, and "
        "claim",
        extra_json_schema=IN_WORDS,
        extra=OMITTED,
    ),
]


def list_people(people: Sequence[Mapping[str, str]]) -> tuple[Persona, ...]:
    """Return the personas of people that the user names, in their order."""
    return tuple(
        Persona(
            number=number,
            description=": ".join(filter(None, (_line(each, "name"), _line(each, "description")))),
            claim=_line(each, "claim"),
        )
        for number, each in enumerate(people, 1)
    )


def check_people(settings: dict[str, Any], where: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings, with as many members as people are named.

    Raises:
        InputError: a person is not described, or another setting says something else of the team.
    """
    asked = EssaySettings.read(settings)
    people = asked.people
    if not people:
        return settings
    for number, each in enumerate(people, 1):
        place = f"{where}: people[{number}]"
        check_known("key", each, PERSON_KEYS, where=place)
        for key, text in each.items():
            check_text(text, f"{place}: {key}")
            if len(text) > LONGEST:
                raise InputError(f"{place}: {key}: it has more than {LONGEST} characters")
        if not (_line(each, "name") or _line(each, "description")):
            raise InputError(f'{place}: say who it is: description = "…"')
    if not asked.personas:
        raise InputError(f"{where}: people: with personas = false nobody has a persona; keep one")
    if "pool" in given and asked.pool != MOST:
        raise InputError(
            f"{where}: setting pool = {asked.pool}: people are named, so no pool is asked "
            "for; leave it out"
        )
    if "team" in given and asked.team != len(people):
        raise InputError(
            f"{where}: setting team = {asked.team}: people names {len(people)}; leave it out"
        )
    names = [each.description.casefold() for each in list_people(people)]
    if repeated := next((each for each in names if names.count(each) > 1), None):
        raise InputError(f"{where}: people: two of them are {repeated!r}")
    return settings | {"team": len(people)}


def plain_people(people: object) -> object:
    """Return people as settings have them: of a file's path, of personas, or of tables.

    Raises:
        InputError: the file cannot be read, or has no tables ``[[people]]`` alone.
    """
    if isinstance(people, str | Path):
        return _load_people(Path(people))
    if isinstance(people, Sequence):
        return [
            {"description": each.description, "claim": each.claim}
            if isinstance(each, Persona)
            else each
            for each in people
        ]
    return people


def _load_people(file: Path) -> list[Any]:
    """Return the people of a file in TOML, a table ``[[people]]`` for each."""
    try:
        content = read_small(file)
    except OSError as error:
        raise InputError(f"people {file}: {error.strerror or error}") from None
    table = parse_toml(content, where=f"people {file}")
    check_known("table", table, ["people"], where=f"people {file}")
    people = table.get("people")
    if not isinstance(people, list) or not people:
        raise InputError(f'people {file}: write a table [[people]] with description = "…" for each')
    return people


def _line(person: Mapping[str, str], key: str) -> str:
    return " ".join(person.get(key, "").split())
