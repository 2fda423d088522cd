"""Protocols: their settings, the views of agents, and turns at the same time."""

from moot.debate.agent_config import decode_list, models_in
from moot.debate.gather_all import gather_all
from moot.debate.opening_values import draw_wrong
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.debate.protocol_settings import IN_WORDS, OMITTED, Rounds
from moot.debate.views import compose_view, draw_order
from moot.parsing.approval_ruling import ApprovalRuling
from moot.parsing.json_fields import (
    REASONS,
    answer_schema,
    load_json,
    object_schema,
    read_answer_field,
    split_words,
)
from moot.parsing.kinds import call_apart
from moot.parsing.marks import read_mark
from moot.parsing.parser import HeardAnswers, get_reading
from moot.parsing.same import answer_value, is_correct
from moot.parsing.standings import Standings

__all__ = [
    "IN_WORDS",
    "OMITTED",
    "REASONS",
    "ApprovalRuling",
    "HeardAnswers",
    "Protocol",
    "Rounds",
    "Standings",
    "answer_schema",
    "answer_value",
    "call_apart",
    "compose_view",
    "decode_list",
    "draw_order",
    "draw_wrong",
    "gather_all",
    "get_reading",
    "is_correct",
    "load_json",
    "models_in",
    "object_schema",
    "protocols",
    "read_answer_field",
    "read_mark",
    "split_words",
]
