"""Logs of affirmative, negative and moderator (Liang et al. 2023): one JSON object a debate.

``{"players": {name: [messages]}, …}``. Each player's messages stand for themselves; who spoke when
follows from the prompts, which repeat what was said.
"""

import json
from ast import literal_eval
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

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
    ReadMessage,
    name_folder,
    read_answer,
    read_message,
    some_fit,
    split_files,
    split_replies,
    stem,
)

_ANSWERS = ("debate translation", "debate_answer", "debate_translation")
_RULED = ("Correct Translation", "debate_answer", "Correct Answer", "Answer")
_TOPIC = "stated as follows:"
_RULINGS = 20_000
"""The most characters of a ruling that is read as JSON."""

_ORDERED = 400
"""The most replies of a debate whose order is found; of more, players speak in turn."""

_Reply = tuple[ReadMessage, list[LoggedMessage]]


def _is_debate(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    match value:
        case {"players": {**players}} if len(players) > 1:
            return all(
                isinstance(own, list) and own and all(map(read_message, own))
                for own in players.values()
            )
    return False


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    return _is_debate(head) or (isinstance(head, list) and any(map(_is_debate, head)))


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else "no object with players: {name: [messages]}"


@log_format("mad", look=_look)
def mad(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Affirmative, negative and moderator: the messages of each player, a file a debate."""
    for file in split_files(log, _fits):
        dataset = name_folder(log, file)
        if _is_debate(file.peek()):
            yield _make_debate(dataset, stem(file.name), file.read_json(), file.name)
            continue
        for key, value in file.iterate_items():
            if _is_debate(value):
                yield _make_debate(dataset, str(key), value, file.place(key))
            else:
                yield Unread(file.place(key), "needs players: {name: [messages]}")


def _make_debate(dataset: str, name: str, value: dict[str, Any], place: str) -> LoggedDebate:
    players: dict[str, list[Any]] = value["players"]
    model = value.get("model_name")
    agents = tuple(
        LoggedAgent(
            name=player,
            model=model if isinstance(model, str) else "",
            role=_find_role(player),
            answers=_find_role(player) not in {"moderator", "judge"},
        )
        for player in players
    )
    turns = tuple(_order({player: list(split_replies(own)) for player, own in players.items()}))
    settings: dict[str, Any] = {
        each: value[each] for each in ("temperature", "num_players") if each in value
    }
    return LoggedDebate(
        id=name,
        question=LoggedQuestion(
            text=_find_topic(value), answer=read_answer(value.get("correct reference"))
        ),
        agents=agents,
        turns=turns,
        dataset=dataset,
        method="multi-persona",
        verdict=_find_verdict(value, turns),
        settings=settings,
        place=place,
    )


def _find_role(player: str) -> str:
    roles = ("affirmative", "negative", "moderator", "judge")
    return next((role for role in roles if role in player.lower()), "debater")


def _find_topic(value: dict[str, Any]) -> str:
    """Return the topic: its field, else the words of a system message, else the source."""
    if isinstance(topic := value.get("debate_topic"), str) and topic:
        return topic
    for own in value["players"].values():
        first = read_message(own[0])
        if first and first.role == "system" and _TOPIC in first.text:
            return first.text.partition(_TOPIC)[2].strip()
    source = value.get("source")
    first = read_message(next(iter(value["players"].values()))[0])
    return source if isinstance(source, str) else (first.text if first else "")


def _order(players: dict[str, list[_Reply]]) -> Iterator[LoggedTurn]:
    """Yield the replies in the order in which they were said.

    Players speak in turn. A player waits while its prompt repeats a reply that nobody gave so far;
    a judge waits for all others. A round ends with the moderator's reply.
    """
    waiting = {player: list(replies) for player, replies in players.items() if replies}
    said: set[str] = set()
    turn = list(waiting)
    round_ = 1
    many = sum(map(len, waiting.values())) > _ORDERED
    while waiting:
        ready = [each for each in turn if many or not _must_wait(each, waiting, said)]
        player = (ready or turn)[0]
        message, prompt = waiting[player].pop(0)
        said.add(message.text)
        role = _find_role(player)
        ruling = role in {"moderator", "judge"}
        yield LoggedTurn(
            agent=player,
            text=message.text,
            round=max(round_ - (role == "judge"), 1),
            step="judge" if ruling else "argue",
            prompt=tuple(prompt),
            answer=_find_ruled(message.text) if ruling else None,
            votes=not ruling,
        )
        round_ += role == "moderator"
        place = turn.index(player) + 1
        if not waiting[player]:
            del waiting[player]
        turn = [each for each in turn[place:] + turn[:place] if each in waiting]


def _must_wait(player: str, waiting: dict[str, list[_Reply]], said: set[str]) -> bool:
    """Whether a player's prompt repeats what another has yet to say, or a judge is early."""
    if _find_role(player) == "judge" and len(waiting) > 1:
        return True
    prompt = "\n".join(each.content for each in waiting[player][0][1])
    repeated = [text for text in said if text in prompt]
    others = (own for other, own in waiting.items() if other != player)
    return any(
        each.text in prompt and not any(each.text in text for text in repeated)
        for own in others
        for each, _ in own
    )


def _find_ruled(text: str) -> str | None:
    """Return the answer in a ruling, an object of JSON or of Python; None without one."""
    ruling: Any = None
    if len(text) <= _RULINGS:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            ruling = json.loads(text) if '"' in text[:3] else literal_eval(text.strip())
    if not isinstance(ruling, dict):
        return None
    answers = (ruling.get(key) for key in _RULED)
    return next((each for each in answers if isinstance(each, str) and each), None)


def _find_verdict(value: dict[str, Any], turns: tuple[LoggedTurn, ...]) -> LoggedVerdict | None:
    answers = (value.get(key) for key in _ANSWERS)
    answer = next((each for each in answers if isinstance(each, str) and each), None)
    ruled = [number for number, turn in enumerate(turns, 1) if not turn.votes]
    if answer is None and not ruled:
        return None
    reason = value.get("reason", value.get("Reason"))
    return LoggedVerdict(
        answer=answer,
        text=reason if isinstance(reason, str) else "",
        by=turns[ruled[-1] - 1].agent if ruled else "",
        turn=ruled[-1] if ruled else None,
    )
