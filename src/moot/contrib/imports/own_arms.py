"""Arms of moot's own runs, as an exported debate has them beside its events."""

from typing import Any

import msgspec

from moot.contrib.imports.debate_log import LoggedDebate
from moot.extend.records import Arm


class OwnArm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The arm of an exported debate: what its key ``moot`` holds.

    Attributes:
        run: the key of the run.
        arm: with every setting in force.
        number: its place among the arms of the run.
        baseline: the arm that others are compared with; None without one.
        simulated: whether no language model takes part in it.
        events: of the debate, as they stand.
    """

    run: str
    arm: Arm
    number: int = 0
    baseline: str | None = None
    simulated: bool = False
    events: Any = None

    @property
    def key(self) -> tuple[str, str]:
        """The run and the arm's name."""
        return self.run, self.arm.name


def read_own(debate: LoggedDebate) -> OwnArm | None:
    """Return the arm of a debate that moot has exported; None for any other debate.

    Raises:
        msgspec.ValidationError: a value in it is of another type.
    """
    return msgspec.convert(debate.moot, OwnArm) if "arm" in debate.moot else None
