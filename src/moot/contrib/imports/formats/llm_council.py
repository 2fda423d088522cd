"""Conversations of llm-council: responses, rankings of the responses, a chairman's synthesis.

One JSON file a conversation: ``{"messages": [{"role": "user", "content"}, {"role": "assistant",
"stage1": [{model, response}], "stage2": [{model, ranking, parsed_ranking}], "stage3": {model,
response}}]}``. Each question of the user is a debate. In ``stage2`` the responses have letters in
their order.
"""

from collections.abc import Iterator
from string import ascii_uppercase
from typing import Any

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import some_fit, split_files, stem

_QUESTIONS = ("question", "query", "user_query", "prompt")


def _find_stages(message: Any) -> dict[str, Any] | None:  # noqa: ANN401 -- any JSON
    """Return the object with the stages: a message, or its content."""
    inner = message.get("content") if isinstance(message, dict) else None
    for each in (message, inner):
        if isinstance(each, dict) and isinstance(each.get("stage1"), list) and "stage3" in each:
            return each
    return None


def _list_rounds(value: Any) -> Iterator[tuple[str, dict[str, Any] | None]]:  # noqa: ANN401 -- any JSON
    """Yield the questions of a conversation with the stages of their answers, if there are any."""
    if stages := _find_stages(value):
        asked = (value.get(key) for key in _QUESTIONS)
        yield next((each for each in asked if isinstance(each, str)), ""), stages
        return
    inner = value.get("messages") if isinstance(value, dict) else None
    if isinstance(value, dict) and not _has_stages(inner):  # some keep the council's part by itself
        parts = (each.get("messages") for each in value.values() if isinstance(each, dict))
        inner = next((each for each in parts if _has_stages(each)), inner)
    question = None
    for message in inner if isinstance(inner, list) else []:
        if stages := _find_stages(message):
            yield question or "", stages
            question = None
        elif isinstance(message, dict) and isinstance(text := message.get("content"), str):
            if question is not None:
                yield question, None
            question = text if message.get("role") == "user" else None
    if question is not None:
        yield question, None


def _has_stages(messages: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(messages, list) and any(map(_find_stages, messages))


def _is_conversation(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return any(stages for _, stages in _list_rounds(value))


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    return _is_conversation(head) or (isinstance(head, list) and any(map(_is_conversation, head)))


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else "no conversation with stage1, stage2, stage3"


@log_format("llm-council", look=_look)
def llm_council(log: Log) -> Iterator[LoggedDebate | Unread]:
    """llm-council: responses, rankings, a chairman's synthesis; a file a conversation."""
    for file in split_files(log, _fits):
        head = file.peek()
        whole = (
            [(stem(file.name), file.read_json(), file.name)]
            if _is_conversation(head)
            else (
                (f"{stem(file.name)}-{key}", value, file.place(key))
                for key, value in file.iterate_items()
            )
        )
        for name, value, place in whole:
            number = 0
            for number, (question, stages) in enumerate(_list_rounds(value), 1):
                where = f"{place}, question {number}"
                if stages is None:
                    yield Unread(where, "has no answer with stage1, stage2, stage3")
                else:
                    yield _make_debate(f"{name}-{number}", question, stages, stem(log.name), where)
            if not number:
                yield Unread(place, "has no question")


def _make_debate(
    name: str, question: str, stages: dict[str, Any], dataset: str, place: str
) -> LoggedDebate:
    answers = [each for each in map(_read_reply, stages["stage1"]) if each]
    names = _name_members([model for model, _ in answers])
    agents = [
        LoggedAgent(name=own, model=model, role="member")
        for own, (model, _) in zip(names, answers, strict=True)
    ]
    turns = [
        LoggedTurn(agent=own, text=text, round=1, step="answer", reads=())
        for own, (_, text) in zip(names, answers, strict=True)
    ]
    turns += _list_reviews(stages.get("stage2"), agents, names)
    verdict = None
    if said := _read_reply(stages["stage3"]):
        chair = _seat("chairman", said[0], "chair", agents)
        read = tuple(range(1, len(turns) + 1))
        turns.append(
            LoggedTurn(
                agent=chair, text=said[1], round=3, step="synthesise", reads=read, votes=False
            )
        )
        verdict = LoggedVerdict(text=said[1], by=chair, turn=len(turns))
    metadata = stages.get("metadata")
    ranks = metadata.get("aggregate_rankings") if isinstance(metadata, dict) else None
    return LoggedDebate(
        id=name,
        question=LoggedQuestion(text=question),
        agents=tuple(agents),
        turns=tuple(turns),
        dataset=dataset,
        method="council",
        verdict=verdict,
        error="" if verdict else "no synthesis of a chairman",
        labels={"aggregate_rankings": ranks} if ranks else {},
        place=place,
    )


def _list_reviews(
    stage: Any,  # noqa: ANN401 -- any JSON
    agents: list[LoggedAgent],
    names: list[str],
) -> Iterator[LoggedTurn]:
    """Yield the rankings; a reviewer that is no member is seated."""
    read = tuple(range(1, len(names) + 1))
    for each in stage if isinstance(stage, list) else []:
        if said := _read_reply(each):
            known = (agent.name for agent in agents if agent.model == said[0])
            own = next(known, "") or _seat(said[0] or "reviewer", said[0], "reviewer", agents)
            parsed = each.get("parsed_ranking") if isinstance(each, dict) else None
            yield LoggedTurn(
                agent=own,
                text=said[1],
                round=2,
                step="review",
                reads=read,
                votes=False,
                reading=_read_ranking(parsed, names),
            )


def _seat(name: str, model: str, role: str, agents: list[LoggedAgent]) -> str:
    """Seat an agent without an answer of its own; return its name, which nobody else has."""
    taken = {agent.name for agent in agents}
    while name in taken:
        name += "'"
    agents.append(LoggedAgent(name=name, model=model, role=role, answers=False))
    return name


def _read_reply(value: Any) -> tuple[str, str] | None:  # noqa: ANN401 -- any JSON
    """Return the model of a reply of any stage and its text."""
    if isinstance(value, str):
        return "", value
    for key in ("response", "ranking", "content", "synthesis"):
        if isinstance(value, dict) and isinstance(text := value.get(key), str):
            model = value.get("model")
            return (model if isinstance(model, str) else ""), text
    return None


def _name_members(models: list[str]) -> list[str]:
    """Return a name for each member: its model, with a number where several have it."""
    names: list[str] = []
    for number, model in enumerate(models, 1):
        name = model or f"member {number}"
        if model and models.count(model) > 1:
            name = f"{model} {models[:number].count(model)}"
        while name in names:
            name += "'"
        names.append(name)
    return names


def _read_ranking(parsed: Any, names: list[str]) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
    """Return a ballot from ``["Response C", "Response A"]``; empty where it names no responses."""
    labels = {
        f"Response {letter}": name for letter, name in zip(ascii_uppercase, names, strict=False)
    }
    parsed = parsed if isinstance(parsed, list) else []
    ranking = [labels[each] for each in parsed if isinstance(each, str) and each in labels]
    return {"kind": "ballot", "ranking": ranking} if ranking else {}
