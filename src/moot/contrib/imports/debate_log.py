"""The open format: debates as JSON lines, one debate a line, so that others can check them.

Every reader of a foreign log yields these structs, and moot's own runs are exported as them. What a
log does not say is left out: nothing is invented. Texts stay as they were, byte for byte.
"""

from typing import Any

import msgspec

FORMAT = "debate-log/1"
"""The name and the version of the format."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a logged debate; fields of their default are left out of the JSON."""


class LoggedMessage(_Part, frozen=True):
    """A message of a prompt.

    Attributes:
        role: ``"system"``, ``"user"``, ``"assistant"`` or another name.
        content: its words.
    """

    role: str
    content: str


class LoggedQuestion(_Part, frozen=True):
    """The question of a debate.

    Attributes:
        text: the question, with its options where the log has them in one text.
        kind: one of ``moot.Question``'s kinds; empty where the log leaves it open.
        choices: the texts of the options in order, without letters.
        context: a passage to read before the question; empty without one.
        answer: the right answer as the log states it; a list where several are right; None where
            none is known.
    """

    text: str
    kind: str = ""
    choices: tuple[str, ...] = ()
    context: str = ""
    answer: str | tuple[str, ...] | None = None


class LoggedAgent(_Part, frozen=True):
    """An agent of a debate.

    Attributes:
        name: unique within the debate.
        model: empty where it is unknown.
        role: such as ``"debater"``, ``"judge"`` or ``"moderator"``.
        answers: False for an agent without an answer of its own, such as a judge.
    """

    name: str
    model: str = ""
    role: str = "debater"
    answers: bool = True


class LoggedTurn(_Part, frozen=True):
    """One reply. Its number is its place among the turns, from 1.

    Attributes:
        agent: the name of the agent.
        text: the reply.
        round: from 1; 0 where the log does not say.
        step: what was asked for, such as ``"answer"`` or ``"summary"``; empty where unknown.
        reads: the numbers of the earlier turns that the agent was shown; None where unknown.
        prompt: the messages that the agent was sent and no earlier turn of its own had.
        answer: the answer that the log states for this reply, in its own form.
        model: where it is not the agent's.
        finish: ``"length"`` for a reply that was cut off; empty where unknown.
        thought: what the model wrote for itself before it answered.
        prompt_tokens: None where unknown.
        completion_tokens: None where unknown.
        cost: in US dollars; None where unknown.
        seconds: that the reply took; None where unknown.
        votes: False for a reply that is no answer, such as a summary.
        reading: what the log states beside the answer, as one of moot's readings, such as a judge's
            probabilities: ``{"kind": "standings", "scores": {"A": 0.9, "B": 0.1}}``.
    """

    agent: str
    text: str
    round: int = 0
    step: str = ""
    reads: tuple[int, ...] | None = None
    prompt: tuple[LoggedMessage, ...] = ()
    answer: str | None = None
    model: str = ""
    finish: str = ""
    thought: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    votes: bool = True
    reading: dict[str, Any] = {}


class LoggedVerdict(_Part, frozen=True):
    """The end of a debate as the log states it.

    Attributes:
        answer: in the log's own form; None where it states none.
        text: the deciding words.
        by: the rule or the agent that decided; empty where unknown.
        turn: the number of the deciding turn; None without a single one.
        correct: whether the log counts the debate as right; None where it does not say.
    """

    answer: str | None = None
    text: str = ""
    by: str = ""
    turn: int | None = None
    correct: bool | None = None


class LoggedDebate(_Part, frozen=True, tag_field="format", tag=FORMAT):
    """One debate: one line of a log in the open format; its first key is ``format``.

    Attributes:
        id: the question's id, unique within its dataset.
        question: what was debated.
        agents: in the order of their seats.
        turns: in the order in which they were said.
        dataset: of the question; empty where the log does not say.
        method: how it was debated, such as ``"society-of-minds"``.
        replicate: the repetition of the same question, from 0.
        verdict: None where the log states no end.
        error: why the debate has no verdict; empty otherwise.
        settings: what the log says of the method's settings; alike for all debates of one arm.
        labels: what the log states of this debate alone beside its verdict, such as scores, or who
            was found at fault.
        place: where in the log the debate stands, such as ``"results.json, key 'q7'"``.
        moot: of a run of moot: its own record of the debate, its events as they stand.
    """

    id: str
    question: LoggedQuestion
    agents: tuple[LoggedAgent, ...]
    turns: tuple[LoggedTurn, ...]
    dataset: str = ""
    method: str = ""
    replicate: int = 0
    verdict: LoggedVerdict | None = None
    error: str = ""
    settings: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    place: str = ""
    moot: dict[str, Any] = {}
