"""Protocols: their settings, the views of agents, and turns at the same time."""

from moot.debate.agent_config import models_in
from moot.debate.documents import read_documents
from moot.debate.evidence import consult
from moot.debate.gather_all import gather_all
from moot.debate.juries import choose_jurors, find_low_marks
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
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
from moot.parsing.plain_text import make_plain
from moot.parsing.same import is_correct
from moot.parsing.standings import Standings
from moot.prompts.packs import load_pack

__all__ = [
    "IN_WORDS",
    "OMITTED",
    "EndsAtConsensus",
    "Opens",
    "Protocol",
    "Rounds",
    "SeveralAgents",
    "Standings",
    "choose_jurors",
    "compose_view",
    "consult",
    "draw_order",
    "find_low_marks",
    "gather_all",
    "get_reading",
    "is_correct",
    "load_json",
    "load_pack",
    "make_plain",
    "models_in",
    "protocols",
    "read_documents",
]
