"""Records: the events of a debate, and the rows of runs and studies in a store."""

from moot.core.answer import Dissent, TokenUsage
from moot.core.events import (
    Closed,
    Failed,
    NodeFinished,
    Noted,
    Opened,
    Passage,
    Searched,
    Seat,
    Seated,
)
from moot.core.messages import ToolCall
from moot.core.notebook_display import NotebookDisplay
from moot.core.ports import ReplyPiece
from moot.core.questions import Kind, ToolUse
from moot.core.stored import (
    Arm,
    DebateRow,
    RunRow,
    Spent,
    StudyRow,
    decode_study,
    decode_transcript,
)
from moot.core.unread import Unread, tell_by
from moot.debate.recorded import list_dissents
from moot.debate.unread import list_unread
from moot.metrics.debaters import measure_from
from moot.reports.event_words import describe_event
from moot.reports.export.outline import ExportedDebate, Outline
from moot.reports.node_groups import TurnGroup
from moot.reports.setup import describe_settings, hide_paths_of_debate
from moot.reports.transcript import show_transcript
from moot.reports.transcript_markdown import write_transcript

__all__ = [
    "Arm",
    "Closed",
    "DebateRow",
    "Dissent",
    "ExportedDebate",
    "Failed",
    "Kind",
    "NodeFinished",
    "NotebookDisplay",
    "Noted",
    "Opened",
    "Outline",
    "Passage",
    "ReplyPiece",
    "RunRow",
    "Searched",
    "Seat",
    "Seated",
    "Spent",
    "StudyRow",
    "TokenUsage",
    "ToolCall",
    "ToolUse",
    "TurnGroup",
    "Unread",
    "decode_study",
    "decode_transcript",
    "describe_event",
    "describe_settings",
    "hide_paths_of_debate",
    "list_dissents",
    "list_unread",
    "measure_from",
    "show_transcript",
    "tell_by",
    "write_transcript",
]
