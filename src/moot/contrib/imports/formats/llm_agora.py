"""Logs of LLM-Agora: different models answer in rounds, a summariser speaks between them.

A list of ``{question_id, question, agent_response: {model: [replies]}, summarization, answer}``.
"""

from collections.abc import Iterator
from typing import Any

from moot.contrib.imports.debate_log import LoggedAgent, LoggedDebate, LoggedQuestion, LoggedTurn
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import read_answer, some_fit, split_parts

_SUMMARISER = "summariser"


def _is_debate(value: object) -> bool:
    match value:
        case {"question": str(), "agent_response": {**replies}}:
            return bool(replies) and all(
                isinstance(own, list) and all(isinstance(each, str) for each in own)
                for own in replies.values()
            )
    return False


def _fits(head: object) -> bool:
    return isinstance(head, list) and any(map(_is_debate, head))


def _look(log: Log) -> str:
    fits = some_fit(log, _fits)
    return "" if fits else "no list with question and agent_response: {model: [replies]}"


@log_format("llm-agora", look=_look)
def llm_agora(log: Log) -> Iterator[LoggedDebate | Unread]:
    """LLM-Agora: rounds of different models, with a summary between rounds."""
    for file, dataset, settings in split_parts(log, _fits):
        for key, value in file.iterate_items():
            if _is_debate(value):
                yield _make_debate(dataset, key, value, file.place(key), settings)
            else:
                yield Unread(
                    file.place(key), "needs a text question, and agent_response: {model: [replies]}"
                )


def _make_debate(
    dataset: str, key: str | int, value: dict[str, Any], place: str, settings: dict[str, Any]
) -> LoggedDebate:
    replies: dict[str, list[str]] = value["agent_response"]
    summaries = value.get("summarization")
    summaries = summaries if isinstance(summaries, list) else []
    agents = [LoggedAgent(name=model, model=model) for model in replies]
    if summaries:
        agents.append(LoggedAgent(name=_SUMMARISER, role=_SUMMARISER, answers=False))
    rounds = max(map(len, replies.values()))
    return LoggedDebate(
        id=str(value.get("question_id", key)),
        question=LoggedQuestion(text=value["question"], answer=read_answer(value.get("answer"))),
        agents=tuple(agents),
        turns=tuple(_order(replies, summaries, rounds)),
        dataset=dataset,
        method="society-of-minds",
        settings={
            "agents": len(replies),
            "rounds": rounds,
            **({"summary": True} if summaries else {}),
            **settings,
        },
        place=place,
    )


def _order(
    replies: dict[str, list[str]], summaries: list[Any], rounds: int
) -> Iterator[LoggedTurn]:
    """Yield replies by round; after a round its summary; every later round reads it."""
    said = 0
    before: tuple[int, ...] = ()
    for number in range(rounds):
        first = said + 1
        for model, own in replies.items():
            for text in own[number : number + 1]:
                said += 1
                yield LoggedTurn(agent=model, text=text, round=number + 1, reads=before)
        if number < len(summaries) and isinstance(summaries[number], str):
            yield LoggedTurn(
                agent=_SUMMARISER,
                text=summaries[number],
                round=number + 1,
                step="summary",
                reads=tuple(range(first, said + 1)),
                votes=False,
            )
            said += 1
            before = (*before, said)
