"""Protocols: their settings, the views of agents, and turns at the same time."""

from moot.datasets.canonical import to_canonical
from moot.debate import opening_values
from moot.debate.agent_config import models_in
from moot.debate.debate_settings import DebateSettings
from moot.debate.exchange import Exchange
from moot.debate.feature import Calls, Environment, Feature
from moot.debate.gather_all import gather_all
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.debate.protocol_settings import IN_WORDS, OMITTED, Rounds
from moot.debate.recorded import RecordedVoters
from moot.debate.views import compose_view, draw_order
from moot.models import embedding
from moot.parsing.apart import call_apart
from moot.parsing.approval_ruling import ApprovalRuling
from moot.parsing.json_fields import answer_schema, load_json, read_answer_field, split_words
from moot.parsing.marks import read_mark
from moot.parsing.parser import get_reading, object_schema
from moot.parsing.plain_text import make_plain
from moot.parsing.same import answer_value, is_correct
from moot.parsing.standings import Standings
from moot.prompts.packs import Pack

__all__ = [
    "IN_WORDS",
    "OMITTED",
    "ApprovalRuling",
    "Calls",
    "DebateSettings",
    "Environment",
    "Exchange",
    "Feature",
    "Pack",
    "Protocol",
    "RecordedVoters",
    "Rounds",
    "Standings",
    "answer_schema",
    "answer_value",
    "call_apart",
    "compose_view",
    "draw_order",
    "embedding",
    "gather_all",
    "get_reading",
    "is_correct",
    "load_json",
    "make_plain",
    "models_in",
    "object_schema",
    "opening_values",
    "protocols",
    "read_answer_field",
    "read_mark",
    "split_words",
    "to_canonical",
]
