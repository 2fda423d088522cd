"""People of an essay's own team as lines of a form: who it is, a colon, what this person holds."""

from collections.abc import Iterable, Mapping


def read_people(text: str) -> list[dict[str, str]]:
    """Return the people of a text, one a line, as the setting ``people`` has them."""
    parts = (line.partition(":") for line in text.splitlines() if line.strip())
    return [{"description": who.strip(), "claim": claim.strip()} for who, _, claim in parts]


def write_people(people: Iterable[Mapping[str, str]]) -> str:
    """Return the lines of people."""
    return "\n".join(
        ": ".join(filter(None, map(each.get, ("name", "description", "claim")))) for each in people
    )
