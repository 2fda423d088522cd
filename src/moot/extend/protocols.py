"""Protocols: their settings, the views of agents, and turns at the same time."""

from moot.debate.agent_config import models_in
from moot.debate.asked_confidence import need_logprobs
from moot.debate.documents import read_documents
from moot.debate.evidence import consult
from moot.debate.gather_all import gather_all
from moot.debate.opening_values import draw_wrong
from moot.debate.prompting import split_conversation
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.debate.protocol_settings import IN_WORDS, OMITTED, REDRAWS, Rounds
from moot.debate.shown_evidence import fence_passages
from moot.debate.views import compose_view, draw_order
from moot.parsing.approval_ruling import ApprovalRuling
from moot.parsing.confidence import Confidence
from moot.parsing.json_fields import (
    REASONS,
    answer_schema,
    load_json,
    object_schema,
    read_answer_field,
    read_fields,
    split_words,
)
from moot.parsing.kinds import call_apart
from moot.parsing.marks import read_mark, read_whole_mark
from moot.parsing.parser import HeardAnswers, get_reading
from moot.parsing.plain_text import make_plain
from moot.parsing.same import is_correct
from moot.parsing.standings import Standings
from moot.prompts.packs import load_pack

__all__ = [
    "IN_WORDS",
    "OMITTED",
    "REASONS",
    "REDRAWS",
    "ApprovalRuling",
    "Confidence",
    "HeardAnswers",
    "Protocol",
    "Rounds",
    "Standings",
    "answer_schema",
    "call_apart",
    "compose_view",
    "consult",
    "draw_order",
    "draw_wrong",
    "fence_passages",
    "gather_all",
    "get_reading",
    "is_correct",
    "load_json",
    "load_pack",
    "make_plain",
    "models_in",
    "need_logprobs",
    "object_schema",
    "protocols",
    "read_answer_field",
    "read_documents",
    "read_fields",
    "read_mark",
    "read_whole_mark",
    "split_conversation",
    "split_words",
]
