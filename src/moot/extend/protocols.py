"""Protocols: their settings, the views of agents, and turns at the same time."""

from moot.debate.agent_config import models_in
from moot.debate.gather_all import gather_all
from moot.debate.juries import choose_jurors, find_low_marks
from moot.debate.opening_values import check_wrong
from moot.debate.protocol import Protocol
from moot.debate.protocol_settings import (
    IN_WORDS,
    OMITTED,
    EndsAtConsensus,
    Opens,
    Rounds,
    SeveralAgents,
)
from moot.debate.views import compose_view, draw_order
from moot.parsing.json_fields import load_json
from moot.parsing.parser import get_reading
from moot.parsing.same import is_correct
from moot.parsing.standings import Standings

__all__ = [
    "IN_WORDS",
    "OMITTED",
    "EndsAtConsensus",
    "Opens",
    "Protocol",
    "Rounds",
    "SeveralAgents",
    "Standings",
    "check_wrong",
    "choose_jurors",
    "compose_view",
    "draw_order",
    "find_low_marks",
    "gather_all",
    "get_reading",
    "is_correct",
    "load_json",
    "models_in",
]
