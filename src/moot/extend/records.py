"""Records: the events of a debate, and the rows of runs and studies in a store."""

from moot.core.answer import TokenUsage
from moot.core.dissent import Dissent
from moot.core.events import Closed, Failed, NodeFinished, Noted, Opened, Searched
from moot.core.messages import ToolCall
from moot.core.passages import Passage
from moot.core.pieces import ReplyPiece
from moot.core.questions import Kind, ToolUse
from moot.core.stored import (
    Arm,
    DebateRow,
    RunRow,
    Spent,
    Status,
    StudyRow,
    decode_study,
    decode_transcript,
)
from moot.core.unread import Unread, tell_by
from moot.debate.dissents import list_dissents
from moot.debate.unread import list_unread
from moot.metrics.debaters import measure_from
from moot.reports.export.outline import ExportedDebate, Outline
from moot.reports.setup import describe_settings, hide_paths_of_debate

__all__ = [
    "Arm",
    "Closed",
    "DebateRow",
    "Dissent",
    "ExportedDebate",
    "Failed",
    "Kind",
    "NodeFinished",
    "Noted",
    "Opened",
    "Outline",
    "Passage",
    "ReplyPiece",
    "RunRow",
    "Searched",
    "Spent",
    "Status",
    "StudyRow",
    "TokenUsage",
    "ToolCall",
    "ToolUse",
    "Unread",
    "decode_study",
    "decode_transcript",
    "describe_settings",
    "hide_paths_of_debate",
    "list_dissents",
    "list_unread",
    "measure_from",
    "tell_by",
]
