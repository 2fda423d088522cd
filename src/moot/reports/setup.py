"""How a run was made: what a reader needs to make it again."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from moot.core.stored import RunRow
from moot.reports.plain import plain


class Setup(NamedTuple):
    """What a run was begun with.

    Attributes:
        study: its name.
        run: the run's key.
        begun: date and time in UTC; also of a run that was gone on with later.
        version: of the moot that reports.
        arms: by name, the protocol and every setting in force, in one line.
    """

    study: str
    run: str
    begun: str
    version: str
    arms: dict[str, str]

    @property
    def words(self) -> str:
        """Everything but the arms, in one line that is safe to look at."""
        run = f"study {self.study} · run {self.run} · begun {self.begun}"
        return plain(f"{run} · reported by moot {self.version}")


def setup(row: RunRow) -> Setup:
    """The set-up of a run in the store."""
    from importlib.metadata import version

    from moot.studies.run import about

    begun = datetime.fromtimestamp(row.created, UTC)
    arms = {
        arm.name: " · ".join([arm.protocol, *in_force(arm.settings)]) for arm in about(row).arms
    }
    return Setup(row.name, row.key, f"{begun:%Y-%m-%d %H:%M} UTC", version("moot"), arms)


def in_force(settings: Mapping[str, Any]) -> list[str]:
    """Settings in words, without those that were left to the model."""
    return [f"{key} = {value}" for key, value in settings.items() if value is not None]
