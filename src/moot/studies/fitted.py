"""Settings of gates that name a file of what was fitted: filled in, and checked."""

from collections.abc import Iterable
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
    named: object, protocol: Protocol, folder: Path | None, *, where: str
) -> dict[str, Any]:
    """Return the settings that a file stands for: its content and its hash; none of a number.

    Args:
        named: the value of the gate's setting.
        protocol: of the gate.
        folder: what the file is relative to, or else to the folder of this process.
        where: the place of the settings, for errors.

    Raises:
        InputError: there is no such file, or it is for another signal.
    """
    setting = protocol.fitted_setting
    if not isinstance(named, str) or _is_number(named):
        return {}
    from moot.studies.fitted_file import load_fitted  # of gates alone

    found = load_fitted(_find(named, folder), setting, where=f"{where}: {setting}")
    if found.signal != protocol.signal:
        raise InputError(
            f"{where}: {setting} = {named!r}: it is one of {found.signal}, and {protocol.name} "
            f"looks at {protocol.signal}"
        )
    return found.filled_in | {FILLED_IN: f"{named} {found.digest}"}


def check_fitted(
    settings: DebateSettings, questions: Iterable[Question], folder: Path | None, *, where: str
) -> None:
    """Check that what was fitted for an arm is of its models, and of none of these questions.

    Args:
        settings: of an arm; one without a file is not looked at.
        questions: what it will be asked.
        folder: what the file is relative to.
        where: the arm's place, for errors.

    Raises:
        InputError: it is of other models or of some of the questions, or has changed since.
    """
    named, _, digest = str(settings.flat.get(FILLED_IN, "")).rpartition(" ")
    if not named:
        return
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
