"""A follow-up question: the debate before it, as the messages of a chat that goes on."""

from typing import NamedTuple

from moot import InputError, Message, Question, Transcript
from moot.contrib.server.chat.form import AnswerForm, write_content
from moot.contrib.server.pages.page_rendering import DebateAddress


class Conversation(NamedTuple):
    """The questions and answers before a question.

    Attributes:
        messages: the questions and answers so far, in order, as a chat has them.
        url: the page of the last debate; empty where nothing was asked before.
    """

    messages: tuple[Message, ...] = ()
    url: str = ""


def name_debate(where: DebateAddress) -> str:
    """Return the name by which a follow-up names the debate before it; empty for a study's."""
    return "" if where.arm or where.question else f"{where.run}:{where.replicate}"


def can_follow(transcript: Transcript) -> bool:
    """Return whether a debate has an answer that a conversation can go on from."""
    question, verdict = transcript.question, transcript.verdict
    return bool(verdict and verdict.answer) and not question.secret and not question.tool_use


def go_on_from(transcript: Transcript, where: DebateAddress) -> Conversation:
    """Return the conversation up to a debate. Raises ``InputError`` where it has no answer."""
    if not can_follow(transcript):
        raise InputError(f"after: the debate {where.run} has no answer to go on from")
    said, _ = write_content(AnswerForm(), transcript)
    question = transcript.question
    own = (Message("user", _write_question(question)), Message("assistant", said or ""))
    return Conversation((*question.earlier_messages, *own), where.url())


def _write_question(question: Question) -> str:
    """Return a question with its passage and options as one message."""
    options = zip(question.letters, question.choices, strict=False)
    listed = "\n".join(f"({letter}) {choice}" for letter, choice in options)
    return "\n\n".join(filter(None, [question.context, question.text, listed]))
