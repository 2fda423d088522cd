"""Output of MALLM: a list of discussions with their ``globalMemory``.

A message of the memory has ``turn``, ``agent_id``, ``persona``, ``contribution`` (``"draft"`` …),
``message``, ``agreement``, ``solution`` and ``memory_ids``: the messages that its agent was shown.
"""

from collections.abc import Iterator
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
from moot.contrib.imports.log_parts import read_answer, some_fit, split_parts

_KEYS = {"exampleId", "globalMemory", "finalAnswer", "input"}


def _is_discussion(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(value, dict) and value.keys() >= _KEYS


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(head, list) and any(map(_is_discussion, head))


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else "no list with exampleId, input, globalMemory"


@log_format("mallm", look=_look)
def mallm(log: Log) -> Iterator[LoggedDebate | Unread]:
    """MALLM: discussions of personas, with solutions and agreement."""
    for file, dataset, settings in split_parts(log, _fits):
        for key, value in file.iterate_items():
            if _is_discussion(value):
                yield _make_debate(value, dataset, file.place(key), settings)
            else:
                yield Unread(file.place(key), f"needs the keys {', '.join(sorted(_KEYS))}")


def _make_debate(
    value: dict[str, Any], dataset: str, place: str, settings: dict[str, Any]
) -> LoggedDebate:
    said = value["globalMemory"] if isinstance(value["globalMemory"], list) else []
    said = [
        each for each in said if isinstance(each, dict) and isinstance(each.get("message"), str)
    ]
    final = value["finalAnswer"]
    final = final if isinstance(final, str) else None
    names = _name_agents(said)
    numbers = {str(each.get("message_id")): number for number, each in enumerate(said, 1)}
    turns = tuple(_make_turn(each, numbers, names, number) for number, each in enumerate(said, 1))
    if not said and final is not None:  # the baseline of MALLM: one reply
        turns = (LoggedTurn(agent="agent", text=final, round=1),)
    paradigm = value.get("paradigm")
    stated = value.get("dataset")
    return LoggedDebate(
        id=str(value["exampleId"]),
        question=_read_question(value),
        agents=tuple(
            LoggedAgent(name=name) for name in dict.fromkeys(turn.agent for turn in turns)
        ),
        turns=turns,
        dataset=stated if isinstance(stated, str) else dataset,
        method="recorded" if said else "single",
        verdict=None if final is None else LoggedVerdict(answer=final, by=_find_rule(value)),
        error="" if final is not None else "no final answer",
        settings={**({"paradigm": paradigm} if isinstance(paradigm, str) else {}), **settings},
        place=place,
    )


def _name_agents(said: list[dict[str, Any]]) -> dict[str, str]:
    """Return the name of each agent: its persona, with a number where several have the same."""
    personas = {
        str(each.get("agent_id", "agent")): str(each.get("persona") or "agent") for each in said
    }
    names: dict[str, str] = {}
    for agent, persona in personas.items():
        taken = sum(each == persona for each in list(personas.values())[: len(names)])
        names[agent] = f"{persona} {taken + 1}" if taken else persona
    return names


def _make_turn(
    message: dict[str, Any], numbers: dict[str, int], names: dict[str, str], number: int
) -> LoggedTurn:
    shown = message.get("memory_ids")
    reads = None
    if isinstance(shown, list):
        known = {numbers.get(str(each), number) for each in shown}
        reads = tuple(sorted(each for each in known if each < number))
    turn, solution, step = (message.get(key) for key in ("turn", "solution", "contribution"))
    return LoggedTurn(
        agent=names[str(message.get("agent_id", "agent"))],
        text=message["message"],
        round=turn if isinstance(turn, int) and turn > 0 else 0,
        step=step if isinstance(step, str) else "",
        reads=reads,
        answer=solution if isinstance(solution, str) and solution else None,
    )


def _read_question(value: dict[str, Any]) -> LoggedQuestion:
    inputs, context = value["input"], value.get("context")
    several = inputs if isinstance(inputs, list) else [inputs]
    passages = context if isinstance(context, list) else [context]
    references = value.get("references")
    return LoggedQuestion(
        text="\n".join(each for each in several if isinstance(each, str)),
        context="\n".join(each for each in passages if isinstance(each, str)),
        answer=read_answer(references),
    )


def _find_rule(value: dict[str, Any]) -> str:
    """Return how it was decided: the type of the last vote; empty without one."""
    votes = value.get("votesEachTurn")
    last = list(votes.values())[-1:] if isinstance(votes, dict) else []
    kind = last[0].get("type") if last and isinstance(last[0], dict) else None
    return kind if isinstance(kind, str) else ""
