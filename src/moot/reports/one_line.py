"""A debate in one line."""

from moot.core.events import Transcript
from moot.core.notebook_display import describe_debate, displays
from moot.debate.unread import list_unread


@displays.decorate("line")
def represent_debate(transcript: Transcript) -> str:
    """Return how a debate ended, in one line."""
    unread = list_unread(transcript) if transcript.events else ()
    return f"Transcript({describe_debate(transcript, unread)})"
