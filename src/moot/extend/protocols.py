"""Protocols: their settings, the views of agents, and turns at the same time."""

from moot.datasets.canonical import to_canonical
from moot.debate.agent_config import models_in
from moot.debate.documents import read_documents
from moot.debate.evidence import consult
from moot.debate.feature import Feature
from moot.debate.gather_all import gather_all
from moot.debate.opening_values import check_wrong, draw_wrong
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.debate.protocol_settings import IN_WORDS, OMITTED, Rounds
from moot.debate.views import compose_view, draw_order
from moot.parsing.apart import call_apart
from moot.parsing.approval_ruling import ApprovalRuling
from moot.parsing.json_fields import (
    answer_schema,
    load_json,
    object_schema,
    read_answer_field,
    split_words,
)
from moot.parsing.marks import read_mark
from moot.parsing.parser import get_reading
from moot.parsing.plain_text import make_plain
from moot.parsing.same import answer_value, is_correct
from moot.parsing.standings import Standings
from moot.prompts.packs import load_pack

__all__ = [
    "IN_WORDS",
    "OMITTED",
    "ApprovalRuling",
    "Feature",
    "Protocol",
    "Rounds",
    "Standings",
    "answer_schema",
    "answer_value",
    "call_apart",
    "check_wrong",
    "compose_view",
    "consult",
    "draw_order",
    "draw_wrong",
    "gather_all",
    "get_reading",
    "is_correct",
    "load_json",
    "load_pack",
    "make_plain",
    "models_in",
    "object_schema",
    "protocols",
    "read_answer_field",
    "read_documents",
    "read_mark",
    "split_words",
    "to_canonical",
]
