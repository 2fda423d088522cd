"""The usual names of columns: what a file without a mapping has in which column.

A column has the name of its role, in any case, or another usual name, in any case and with any
sign between words: ``Question``, ``prompt``, ``Option A``, ``LABEL``. Where several columns could
be one role, the name of the role comes first, then the order of the table.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

Columns = dict[str, str | list[str]]
"""The column of each role; choices may have several."""

ROLES = (
    *("question", "answer", "choices", "labels", "context", "documents", "id", "kind"),
    *("tempting", "secret"),
)
"""The roles of columns. Without a mapping, columns of these names are read."""

USUAL = {
    "question": ("problem", "query", "prompt", "input"),
    "choices": ("options",),
    "answer": ("gold", "target", "label", "correct"),
}
"""Other names of columns, by role, the surest first."""

_LETTERS = "ABCDEFGHIJ"
"""Names of columns with one choice each."""
_FORMS: tuple[Callable[[int], str], ...] = (
    lambda place: _LETTERS[place].lower(),
    lambda place: f"option{_LETTERS[place].lower()}",
    lambda place: f"choice{_LETTERS[place].lower()}",
    lambda place: f"option{place + 1}",
    lambda place: f"choice{place + 1}",
)
"""How columns with one choice each are called, by the choice's place."""


def _fold(name: str) -> str:
    """Return a name without case, and without signs between and around its words."""
    return re.sub(r"[\s_.\-]+", "", name).casefold()


@lru_cache(maxsize=64)  # rows of one file have few sets of columns, often one
def find_usual(columns: tuple[str, ...]) -> Columns:
    """Return the column of every role that has one by its name; always one of the question.

    Two columns that are one name in another case are neither.
    """
    named: dict[str, list[str]] = {}
    folded: dict[str, list[str]] = {}
    for name in columns:
        named.setdefault(name.strip().casefold(), []).append(name)
        folded.setdefault(_fold(name), []).append(name)
    found: Columns = {"question": "question"}
    for role in ROLES:
        known = [[role]] if role in columns else [named.get(role, [])]
        known += [folded.get(other, []) for other in USUAL.get(role, ())]
        if one := next((each for each in known if len(each) == 1), None):
            found[role] = one[0]
    if "choices" not in found and (several := _find_lettered(columns, folded)):
        found["choices"] = several
    return found


def _find_lettered(columns: tuple[str, ...], folded: Mapping[str, list[str]]) -> list[str]:
    """Return the columns with one choice each; empty for none, or for one."""
    exact = list(takewhile(columns.__contains__, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    found = [exact] if len(exact) > 1 else []
    for form in _FORMS:
        each = (folded.get(form(place), []) for place in range(len(_LETTERS)))
        found.append([names[0] for names in takewhile(lambda names: len(names) == 1, each)])
    return next((names for names in found if len(names) > 1), [])


def join_choices(columns: Mapping[str, str | list[str]] | None) -> Columns | None:
    """Return a mapping with its letters as one list of choices; a role without a column is none."""
    if columns is None:
        return None
    lettered = [columns[key] for key in sorted(columns) if len(key) == 1 and columns[key]]
    rest = {key: named for key, named in columns.items() if len(key) > 1 and named}
    return rest | ({"choices": [str(each) for each in lettered]} if lettered else {})


def split_choices_by_letter(columns: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Return a mapping in which each of several columns of choices has its letter."""
    found: dict[str, str] = {}
    for role, named in columns.items():
        if isinstance(named, list):
            found |= dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", named, strict=False))
        else:
            found[role] = named
    return found


def count_known(columns: Columns | None, header: list[str]) -> int:
    """Return how many cells of a header are columns of a mapping, or usual ones."""
    known = find_usual(tuple(header)) | (columns or {})
    wanted = [each for named in known.values() for each in ([named] if str(named) else [])]
    flat = [one for each in wanted for one in (each if isinstance(each, list) else [each])]
    return sum(each in header for each in dict.fromkeys(flat))


def describe_columns(path: Path, columns: Columns, given: Columns | None) -> str:
    """Return the guessed columns in a sentence; empty where none was guessed."""
    guessed = {role: named for role, named in columns.items() if role not in (given or {})}
    if all(_is_plain(role, named) for role, named in guessed.items()):
        return ""
    return f"{path}: {list_columns(columns)}; to correct it, say columns = {{ROLE = COLUMN}}"


def list_columns(columns: Columns) -> str:
    """Return the column of each role in words."""
    return ", ".join(
        f"{role} is {', '.join(map(repr, [named] if isinstance(named, str) else named))}"
        for role, named in columns.items()
    )


def _is_plain(role: str, named: str | list[str]) -> bool:
    """Return whether a column has the very name of its role, in any case."""
    if isinstance(named, list):
        return "".join(named) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return named.strip().casefold() == role


@lru_cache(maxsize=64)
def find_near_answers(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns whose names are nearly ``answer``: misspelt, or with a word beside it."""
    return tuple(name for name in columns if _is_near_answer(name))


def _is_near_answer(name: str) -> bool:
    words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
    if len(words) > 1:
        return bool(words & {"answer", "answers"}) and words <= _BESIDE_ANSWER
    word = next(iter(words), "")
    shorter, longer = sorted((word, "answer"), key=len)
    left_out = {longer[:at] + longer[at + 1 :] for at in range(len(longer))}
    swapped = sorted(word) == sorted("answer")
    return word != "answer" and (shorter in left_out or swapped or word == "answerkey")


_BESIDE_ANSWER = frozenset(
    ("answer", "answers", "key", "correct", "right", "gold", "golden", "true", "reference")
)
"""Words of which the name of a column of right answers is made."""
