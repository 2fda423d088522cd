"""Logs of the society of minds: ``{question: [contexts of the agents, right answer]}``.

The layout of Du et al. (arXiv 2305.14325) and of the many that build on their code. A context is
the list of an agent's messages: prompt, reply, prompt, reply.
"""

from collections.abc import Iterator
from itertools import cycle
from typing import Any, NamedTuple

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import (
    LogPart,
    Questions,
    ReadMessage,
    make_turn,
    read_answer,
    read_message,
    some_fit,
    split_parts,
    split_replies,
)


class _Debate(NamedTuple):
    """A debate as it stands in a log; ``more`` is what follows the right answer."""

    key: str
    contexts: list[list[Any]]
    gold: Any = None
    more: tuple[Any, ...] = ()


def _find(key: str | int, value: Any) -> _Debate | None:  # noqa: ANN401 -- any JSON
    """Return the debate in a member of the log; None where there is none."""
    match value:
        case dict() if isinstance(key, int) and len(value) == 1:
            return _find(*next(iter(value.items())))  # a line for each question
        case [str(question), [*inner], *rest] if isinstance(key, int):
            return _find(question, [inner, *rest] if _list_contexts(inner) else inner)
        case [[*inner], *rest] if isinstance(key, str) or rest:
            question = key if isinstance(key, str) else ""
            all_lists = all(isinstance(each, list) for each in value)
            if question and all_lists and _have_roles(value):
                return _Debate(question, value)
            if contexts := _list_contexts(inner):
                return _Debate(question, contexts, rest[0] if rest else None, tuple(rest[1:]))
    return None


def _have_roles(contexts: list[list[Any]]) -> bool:
    """Whether these are lists of messages, so that there is no right answer among them."""
    return all(context and isinstance(context[0], dict) for context in contexts) and bool(
        _list_contexts(contexts)
    )


def _list_contexts(value: list[Any]) -> list[list[Any]]:
    """Return the messages of each agent; none where the value has anything else.

    Some have one list for one agent, or one reply of each agent without a list around it.
    """
    if value and all(isinstance(each, dict) for each in value):
        alone = any(each.get("role") == "user" for each in value)
        value = [value] if alone else [[each] for each in value]
    fit = all(
        isinstance(context, list) and context and all(map(read_message, context))
        for context in value
    )
    return value if fit else []


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    if isinstance(head, list):
        return any(_find(number, each) for number, each in enumerate(head))
    return isinstance(head, dict) and any(_find(*each) for each in head.items())


def _look(log: Log) -> str:
    fits = some_fit(log, _fits)
    return "" if fits else "no file with {question: [[messages of each agent], right answer]}"


@log_format("society-of-minds", look=_look)
def society_of_minds(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Society of minds: the messages of each agent, by question."""
    questions = Questions()
    for part in split_parts(log, _fits):
        for key, value in part.file.iterate_items():
            found, place = _find(key, value), part.file.place(key)
            if found is None:
                yield Unread(place, "should be [[messages of each agent], right answer]")
            else:
                yield _make_debate(found, questions, part, place)


def _make_debate(found: _Debate, questions: Questions, part: LogPart, place: str) -> LoggedDebate:
    replies = [list(_read_context(context, found.key)) for context in found.contexts]
    turns = [
        make_turn(f"agent {seat}", *reply, number + 1)
        for number in range(max(map(len, replies)))
        for seat, own in enumerate(replies, 1)
        for reply in own[number : number + 1]
    ]
    agents = [LoggedAgent(name=f"agent {seat}") for seat in range(1, len(replies) + 1)]
    rounds = max((turn.round for turn in turns), default=0)
    verdict = None
    if said := [each for each in map(read_message, found.more) if each and each.role]:
        agents.append(LoggedAgent(name="judge", role="judge", answers=False))
        turns += [LoggedTurn(agent="judge", text=each.text, votes=False) for each in said]
        verdict = LoggedVerdict(text=said[-1].text, by="judge", turn=len(turns))
    text = _find_question(found)
    name, replicate = questions.take(part.file.name, found.key or text)
    return LoggedDebate(
        id=name,
        question=LoggedQuestion(text=text, answer=read_answer(found.gold)),
        agents=tuple(agents),
        turns=tuple(turns),
        dataset=part.dataset,
        method="single" if len(replies) == rounds == 1 else "society-of-minds",
        replicate=replicate,
        verdict=verdict,
        settings={"agents": len(replies), "rounds": rounds, **part.settings},
        place=place,
    )


def _read_context(
    context: list[Any], key: str
) -> Iterator[tuple[ReadMessage, list[LoggedMessage]]]:
    """Yield the replies of an agent, each with its prompt.

    Where messages are bare texts, the first is a prompt if it has the question, and then every
    second one is; else all are replies.
    """
    if isinstance(context[0], str):
        roles = ["user", "assistant"] if key and key in context[0] else ["assistant"]
        context = [{"role": role, "content": text} for role, text in zip(cycle(roles), context)]
    return split_replies(context)


def _find_question(found: _Debate) -> str:
    """Return the key; the first prompt where the key is not in it, such as a tuple of numbers."""
    first = read_message(found.contexts[0][0])
    if first is None or first.role == "assistant" or (found.key and found.key in first.text):
        return found.key
    return first.text if first.role or not found.key else found.key
