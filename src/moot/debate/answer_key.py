"""Settings by which the right answer shapes what agents are shown: for studies alone."""

from collections.abc import Iterable, Mapping
from typing import Any

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.core.recorded_settings import WithinSettings, read_settings
from moot.debate.protocol import registry
from moot.debate.protocol_settings import list_marked

KEY_SHOWN = {"shows_key": True}
"""What the ``extra`` of such a setting holds."""


def find_key_settings(protocol: str, settings: Mapping[str, Any]) -> list[str]:
    """Return the settings that are on and show agents what depends on the right answer.

    Those of a network's nodes and of the debate behind a gate are among them.

    Args:
        protocol: its name; of one that is not installed nothing is known.
        settings: every setting in force.
    """
    known = registry.find(protocol)
    if known is None:
        return []
    on = {name for name, value in settings.items() if value}
    found = [name for name in list_marked(known.own, KEY_SHOWN) if name in on]
    for each in read_settings(settings, WithinSettings).tables:
        found += find_key_settings(str(each.get("protocol", "")), each)
    return list(dict.fromkeys(found))


def check_key_settings(
    protocol: str, settings: Mapping[str, Any], questions: Iterable[Question], *, where: str
) -> None:
    """Raise ``InputError`` where such a setting is on and a question has no known answer."""
    names = find_key_settings(protocol, settings)
    unknown = next((each.id for each in questions if not each.answers), None) if names else None
    if unknown is not None:
        raise InputError(
            f"{where}: setting {names[0]}: it is for studies alone, since agents are shown what "
            f"depends on the right answer; question {unknown!r} has no known answer"
        )
