"""Stops: rounds end when a rule that the setting names says so."""

import msgspec

from moot.debate.debate import Debate
from moot.debate.feature import Feature
from moot.debate.rounds import Rounds
from moot.debate.stop_rule import find_stops
from moot.debate.views import Views


class StopSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of stops."""

    stop: str = ""
    still: float = 0.0
    twice: int = 2


class Stops(Feature):
    """Ends the rounds of a debate by registered stops."""

    names = ("stop", "still", "twice")
    Settings = StopSettings

    def rounds(self, state: StopSettings, debate: Debate, rounds: Rounds) -> None:
        """Check after each round whether any stop ends the debate, and record what each says."""
        stops, history, settings = find_stops(state.stop), list[Views](), debate.context.settings

        def check() -> bool:
            history.append(debate.newest)
            said = [each.apply(history, debate.question, settings) for each in stops]
            return bool(sum([debate.settle("stop", ending) for ending in said]))

        if stops:
            rounds.checks.append(check)


FEATURE = Stops()
