"""Settings of gates that name a file of what was fitted: filled in, and checked."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.debate.debate_settings import DebateSettings
from moot.debate.protocol import Protocol

THRESHOLD, CLASSIFIER, FILLED_IN = "threshold", "classifier", "fitted"
SHOWN = 3
"""Questions that an error names."""


def fill_fitted(
    settings: Mapping[str, Any], protocol: Protocol, folder: Path | None, *, where: str
) -> dict[str, Any]:
    """Return settings in which a file that a gate's setting names is its content and its hash.

    Args:
        settings: as they were given.
        protocol: whose settings they are; those of one that is no gate are returned as they are.
        folder: what the file is relative to, or else to the folder of this process.
        where: the place of the settings, for errors.

    Raises:
        InputError: there is no such file, or it is for another signal.
    """
    given, setting = dict(settings), protocol.fitted_setting
    named = given.get(setting)
    if not isinstance(named, str) or _is_number(named):
        return given
    from moot.studies.fitted_file import load_fitted  # of gates alone

    found = load_fitted(_find(named, folder), setting, where=f"{where}: {setting}")
    if found.signal != protocol.signal:
        raise InputError(
            f"{where}: {setting} = {named!r}: it is one of {found.signal}, and {protocol.name} "
            f"looks at {protocol.signal}"
        )
    return given | found.filled_in | {FILLED_IN: f"{named} {found.digest}"}


def check_fitted(
    settings: DebateSettings, questions: Iterable[Question], folder: Path | None, *, where: str
) -> None:
    """Check that what was fitted for an arm is of its models, and of none of these questions.

    Args:
        settings: of an arm, as ``fill_fitted`` returns them, with a file.
        questions: what it will be asked.
        folder: what the file is relative to.
        where: the arm's place, for errors.

    Raises:
        InputError: it is of other models or of some of the questions, or has changed since.
    """
    named, _, digest = str(settings[FILLED_IN]).rpartition(" ")
    setting = settings.protocol.fitted_setting
    place = f"{where}: {setting} = {named!r}"
    from moot.studies.fitted_file import hash_question, load_fitted

    found = load_fitted(_find(named, folder), setting, where=f"{where}: {setting}")
    if found.digest != digest:
        raise InputError(f"{place}: the file has changed meanwhile")
    speaking = sorted(settings.models)
    if speaking != found.models:
        raise InputError(
            f"{place}: it was fitted on replies of {', '.join(found.models)}, and here "
            f"{', '.join(speaking)} speaks: fit it for that"
        )
    known = set(found.questions)
    seen = [each.id for each in questions if hash_question(each) in known]
    if seen:
        raise InputError(
            f"{place}: it was fitted on {len(seen)} of these questions "
            f"({', '.join(seen[:SHOWN])}{' …' * (len(seen) > SHOWN)}), where it looks better than "
            "it is; ask others, by another seed or another part of the dataset"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _find(named: str, folder: Path | None) -> Path:
    """Return where a file is: in the study's folder, else in that of this process."""
    return folder / named if folder is not None and (folder / named).is_file() else Path(named)
