"""Stops: rounds end when a rule that the setting names says so."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from typing import Any

from moot.debate.debate import Debate
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import Feature
from moot.debate.rounds import Rounds
from moot.debate.stop_rule import Stopping, find_stops
from moot.debate.views import Views
from moot.prompts.packs import Pack


class Stops(Feature):
    """Ends the rounds of a debate by registered stops."""

    names = ("stop", "still", "twice")
    Settings = Stopping

    def check(self, own: Stopping, whole: DebateSettings, place: str, pack: Pack) -> Stopping:
        """Return the settings. Raise ``UnknownName`` for a stop that does not exist."""
        find_stops(own.stop, where=place)
        return own

    def formula_settings(self, own: Stopping, end: int) -> dict[str, Any]:
        """Return that a debate has one round at least."""
        return {} if end or not own.stop else {"rounds": 1}

    def rounds(self, state: Stopping, debate: Debate, rounds: Rounds) -> None:
        """Check after each round whether any stop ends the debate, and record what each says."""
        history, pick = list[Views](), debate.context.whole.pick
        stops = [(each, pick(each.options)) for each in find_stops(state.stop)]

        def check() -> bool:
            history.append(debate.newest)
            said = [each.apply(history, debate.question, own) for each, own in stops]
            return bool(sum([debate.settle("stop", ending) for ending in said]))

        if stops:
            rounds.checks.append(check)


FEATURE = Stops()
