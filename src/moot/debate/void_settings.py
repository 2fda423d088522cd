"""Settings that act on some kinds of questions alone, or where another setting has some value."""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import Any

from moot.debate.debate_settings import DebateSettings
from moot.debate.protocol_settings import list_struct_fields


def acts_where(*cases: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``extra`` of a setting that acts in some cases alone.

    Args:
        cases: each names values of other settings, and of ``kind``, the question's, that are all
            needed for the setting to act.
    """
    return {"acts_where": cases}


def find_void(settings: DebateSettings, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield settings that are not at their default and act on no question: name and meaning.

    Args:
        settings: every setting in force.
        kinds: of the questions.
    """
    fields = list(list_struct_fields(settings.protocol.own))
    known = {**{name: default for name, _, default in fields}, **settings.flat}
    for name, kind, default in fields:
        for meta in getattr(kind, "__metadata__", ()):
            cases = (getattr(meta, "extra", None) or {}).get("acts_where")
            if not cases or known[name] == default:
                continue
            asked = product(cases, kinds)
            if not any((known | {"kind": kind}).items() >= case.items() for case, kind in asked):
                yield name, meta.description
