"""The open format to and from Inspect's messages, as plain JSON; Inspect itself is not needed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedTurn,
)

Json = Mapping[str, Any]
_KEPT = ("round", "step", "reads", "answer", "votes", "reading", "seconds", "cost")
_TOKENS = ("prompt_tokens", "completion_tokens")


def to_messages(debate: LoggedDebate) -> list[dict[str, Any]]:
    """Return a debate as Inspect's messages: its question, then prompts and replies in order.

    What Inspect's messages have no place for stands in their metadata, under moot's names.
    """
    question, made = debate.question, list[dict[str, Any]]()
    options = [f"{chr(65 + n)}) {choice}" for n, choice in enumerate(question.choices)]
    asked = "\n\n".join(text for text in (question.context, question.text) if text)
    content = "\n".join([asked, "", *options] if options else [asked])
    made.append({"role": "user", "source": "input", "content": content})
    agents = {agent.name: agent for agent in debate.agents}
    for turn in debate.turns:
        made += [
            {"role": each.role, "content": each.content, "metadata": {"agent": turn.agent}}
            for each in turn.prompt
        ]
        agent = agents[turn.agent]
        own: dict[str, Any] = {
            "agent": agent.name,
            "role": agent.role,
            "debater": agent.answers,
        }
        own |= {name: getattr(turn, name) for name in (*_KEPT, *_TOKENS, "finish")}
        content_parts: Any = turn.text
        if turn.thought:
            content_parts = [
                {"type": "reasoning", "reasoning": turn.thought},
                {"type": "text", "text": turn.text},
            ]
        made.append(
            {
                "role": "assistant",
                "source": "generate",
                "model": turn.model or agent.model,
                "content": content_parts,
                "metadata": own,
            }
        )
    return made


def read_turns(
    messages: Iterable[Json],
) -> tuple[tuple[LoggedAgent, ...], tuple[LoggedTurn, ...]]:
    """Return the agents and the turns of Inspect's messages, what moot wrote in them included.

    A reply of a model is a turn; what stands before it is its prompt. The agent is the one that
    the metadata name, else the model. A message with the source ``input`` is the question.
    """
    turns, agents = list[LoggedTurn](), dict[str, LoggedAgent]()
    prompt = list[LoggedMessage]()
    places = dict[int, int]()  # moot's numbers of turns, which may have gaps
    for message in messages:
        text, thought = _read_content(message.get("content"))
        if message.get("role") != "assistant":
            if message.get("source") != "input":
                prompt.append(LoggedMessage(role=str(message.get("role", "")), content=text))
            continue
        own = message.get("metadata") or {}
        model = message.get("model") or ""
        name = str(own.get("agent") or model or "assistant")
        answers = bool(own.get("debater", True))
        role = str(own.get("role") or "debater")
        agents.setdefault(name, LoggedAgent(name=name, model=model, role=role, answers=answers))
        places[own.get("id", len(turns) + 1)] = len(turns) + 1
        known = dict(_read_known(own, places))
        turns.append(
            LoggedTurn(
                agent=name,
                text=text,
                thought=thought,
                prompt=tuple(prompt),
                model="" if model == agents[name].model else model,
                **known,
            )
        )
        prompt = []
    return tuple(agents.values()), tuple(turns)


def _read_known(own: Json, places: Mapping[int, int]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a turn that its metadata state, if they are of their type."""
    kinds: dict[str, Any] = {
        "round": int,
        "step": str,
        "answer": str,
        "finish": str,
        "votes": bool,
        "reading": dict,
        "seconds": int | float,
        "cost": int | float,
        "prompt_tokens": int,
        "completion_tokens": int,
    }
    for name, kind in kinds.items():
        if isinstance(own.get(name), kind):
            yield name, own[name]
    reads = own.get("reads")
    if isinstance(reads, list | tuple):
        yield "reads", tuple(places[each] for each in reads if each in places)


def _read_content(content: object) -> tuple[str, str]:
    """Return the words of a message, and what the model thought before."""
    if isinstance(content, str):
        return content, ""
    parts: Sequence[Any] = content if isinstance(content, list) else []
    found = {"text": "", "reasoning": ""}
    for part in parts:
        if isinstance(part, dict) and part.get("type") in found:
            found[part["type"]] += str(part.get(part["type"]) or "")
    return found["text"], found["reasoning"]
