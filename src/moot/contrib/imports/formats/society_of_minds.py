"""Logs of the society of minds: ``{question: [contexts of the agents, right answer]}``.

The layout of Du et al. (arXiv 2305.14325) and of the many that build on their code. A context is
the list of an agent's messages: prompt, reply, prompt, reply.
"""

from collections.abc import Iterator, Sequence
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
    Questions,
    ReadMessage,
    make_turn,
    name_files,
    read_answer,
    read_message,
    some_fit,
    split_files,
    split_replies,
    stem,
)


class _Debate(NamedTuple):
    """A debate as it stands in a log; ``more`` is what follows the right answer."""

    key: str
    contexts: list[list[Any]]
    gold: Any = None
    more: tuple[Any, ...] = ()


def _find(key: str | int | None, value: Any) -> _Debate | None:  # noqa: ANN401 -- any JSON
    """Return the debate in a member of the log; None where there is none."""
    match value:
        case [str(question), [*_] as inner, *rest] if not isinstance(key, str):
            return _find(question, [inner, *rest] if _has_contexts(inner) else inner)
        case [[*contexts], *rest] if _has_contexts(contexts) and (rest or isinstance(key, str)):
            gold = rest[0] if rest else None
            return _Debate(key if isinstance(key, str) else "", contexts, gold, tuple(rest[1:]))
        case [*contexts] if isinstance(key, str) and _has_contexts(contexts):
            texts = any(isinstance(each, str) for context in contexts for each in context)
            return None if texts else _Debate(key, contexts)
    return None


def _has_contexts(value: Sequence[Any]) -> bool:
    return bool(value) and all(
        isinstance(context, list) and context and all(map(read_message, context))
        for context in value
    )


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    if isinstance(head, list):
        return any(_find(None, each) for each in head)
    return isinstance(head, dict) and any(_find(*each) for each in head.items())


def _look(log: Log) -> str:
    fits = some_fit(log, _fits)
    return "" if fits else "no file with {question: [[messages of each agent], right answer]}"


@log_format("society-of-minds", look=_look)
def society_of_minds(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Society of minds: the messages of each agent, by question."""
    questions = Questions()
    for file, settings in name_files(split_files(log, _fits)):
        for key, value in file.iterate_items():
            found = _find(key, value)
            if found is None:
                yield Unread(file.place(key), "should be [[messages of each agent], right answer]")
            else:
                yield _make_debate(log, found, questions, file.name, file.place(key), settings)


def _make_debate(
    log: Log, found: _Debate, questions: Questions, file: str, place: str, settings: dict[str, Any]
) -> LoggedDebate:
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
    name, replicate = questions.take(file, text)
    return LoggedDebate(
        id=name,
        question=LoggedQuestion(text=text, answer=read_answer(found.gold)),
        agents=tuple(agents),
        turns=tuple(turns),
        dataset=stem(log.name),
        method="single" if len(replies) == rounds == 1 else "society-of-minds",
        replicate=replicate,
        verdict=verdict,
        settings={"agents": len(replies), "rounds": rounds, **settings},
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
