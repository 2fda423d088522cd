"""A first mapping, made from the shape of a log, for its user to mend."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from moot import InputError
from moot.contrib.imports.log_files import Log

_NAMES = {
    "id": "id qid question_id uid idx index",
    "question": "question problem query topic motion claim prompt task input instruction statement",
    "answer": "answer gold correct_answer ground_truth label target reference expected solution",
    "options": "options choices candidates",
    "final": "final_answer final prediction verdict consensus majority_vote result",
    "correct": "correct is_correct",
    "judge": "judge judge_response judgment judgement summary synthesis",
    "reply": "content text message response reply output answer completion",
    "agent": "agent name speaker author role source model",
    "round": "round turn step iteration",
    "model": "model",
    "stated": "answer extracted_answer prediction solution",
}
"""The usual names in logs of what a key of a mapping leads to, the likeliest first."""
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|(?:values\(@\)\[0\])?\[\d+\]")
"""The parts of an expression that need no quotes: a plain key, or a place in a list."""
_BESIDE = re.compile(r"(?i)prompt|system|config|doc|context$|source|persona")
_NUMBERED = re.compile(r"(?i)^(.*?(?:agent|response|answer|reply|debater|model)[ _-]?)(\d+)(.*)$")
_DEPTH = 4
_REPLIES = "[?role=='assistant']"
"""The replies among the messages of one agent."""


class Spoken(NamedTuple):
    """Where turns seem to stand in a debate.

    Attributes:
        lines: of the mapping.
        size: characters of the texts that are found there: the most wins.
    """

    lines: dict[str, str]
    size: int


def draft_mapping(log: Log) -> str:
    """Return a mapping in TOML, as good as can be guessed from the first debates.

    Raises:
        InputError: there is no JSON in the log, or no text that looks like replies.
    """
    for file in log.files(".json", ".jsonl", ".ndjson"):
        for where, debate in _list_candidates(file.peek(), is_lines=file.is_lines):
            lines = _draft(debate)
            if lines:
                return _write({**where, **lines}, debate, file.name)
    raise InputError(
        f"{log.path}: no mapping can be drafted: no JSON with an object of which a part looks like "
        "replies; write one by hand"
    )


def _list_candidates(
    head: Any,  # noqa: ANN401 -- any JSON
    *,
    is_lines: bool,
) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Yield what may be a debate in the beginning of a file, and how it is reached."""
    if isinstance(head, list):
        yield from map(_open_member, head[:1])
        return
    if not isinstance(head, dict) or is_lines:
        return
    if head and all(isinstance(each, list) for each in head.values()):
        yield _open_list(next(iter(head.values())), {"question": ""})
    inside = [each for each in head.values() if isinstance(each, dict)]
    if len(inside) == len(head) and inside:
        yield {}, inside[0]  # each member is a debate; its key is the question or its name
    for key, value in head.items():
        first = value[0] if isinstance(value, list) and value else None
        if isinstance(first, dict) and _draft(first):
            yield {"debates": _quote(key)}, first
    yield {"debates": "@"}, head


def _open_member(member: Any) -> tuple[dict[str, str], dict[str, Any]]:  # noqa: ANN401 -- any JSON
    """Return how a member of a list is reached, and its parts by name."""
    match member:
        case list():
            return _open_list(member, {})
        case dict() if len(member) == 1 and isinstance(inner := next(iter(member.values())), list):
            return _open_list(inner, {"question": "keys(@)[0]"}, "values(@)[0]")
    return {}, member if isinstance(member, dict) else {}


def _open_list(
    parts: list[Any], known: dict[str, str], before: str = ""
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return expressions for the parts of a debate that is a list, and the parts by their places.

    It is as a society of minds is saved: perhaps the question, the agents' messages, the right
    answer.

    Args:
        parts: of the debate.
        known: what is known of it; an empty expression is left out: the debate's key is it.
        before: the expression that leads to the list.
    """
    named = {f"{before}[{number}]": part for number, part in enumerate(parts)}
    plain = [name for name, part in named.items() if isinstance(part, str | int | float)]
    if "question" not in known and parts and isinstance(parts[0], str):
        known["question"] = plain.pop(0)
    if plain:
        known["answer"] = plain[0]
    if "question" not in known:
        for name, part in named.items():
            match part:
                case [[{"role": _, "content": str()}, *_], *_]:
                    known["question"] = f"{name}[0][0].content"
    return {key: path for key, path in known.items() if path}, named


def _draft(debate: dict[str, Any]) -> dict[str, str]:
    """Return the keys that can be guessed; none where nothing looks like replies."""
    plain, taken = (str, int, float), set[str]()
    lines: dict[str, str] = {}
    for key, kinds in [
        ("id", (str, int)),
        ("question", (str,)),
        ("final", plain),
        ("correct", (bool,)),
        ("answer", (*plain, list)),
        ("options", (list, dict)),
    ]:
        lines |= _pick(debate, key, kinds, taken)
    rest = {key: value for key, value in debate.items() if key not in taken}
    said = {key: value for key, value in rest.items() if not _BESIDE.search(key)}
    candidates = [*_find_spoken(said)] or [*_find_spoken(rest)]
    spoken = max(candidates, key=lambda each: each.size, default=None)
    if spoken is None:
        return {}
    name = lines.get("id", "")
    if name and "question" not in lines and isinstance(debate.get(_bare(name)), str):
        lines["question"] = name  # some logs have names of questions alone
    return lines | spoken.lines | _pick(debate, "judge", (str,), taken)


def _bare(path: str) -> str:
    """Return the key in a quoted one."""
    return json.loads(path) if path.startswith('"') else path


def _pick(
    value: dict[str, Any], key: str, kinds: tuple[type, ...], taken: set[str]
) -> dict[str, str]:
    """Return where a key of a mapping leads to in a value, by the usual names; empty if nowhere."""
    plain = {name.lower().replace("-", "_").replace(" ", "_"): name for name in value}
    for usual in _NAMES[key].split():
        name = plain.get(usual, usual)
        if name not in taken and isinstance(value.get(name), kinds):
            taken.add(name)
            return {key: _quote(name)}
    return {}


def _find_spoken(debate: dict[str, Any]) -> Iterator[Spoken]:
    """Yield the places in a debate that look like turns."""
    columns: dict[str, list[tuple[str, str]]] = {}
    for key, value in debate.items():
        yield from _find_in(_quote(key), key, value, _DEPTH)
        if isinstance(value, str) and (found := _NUMBERED.match(key)):
            columns.setdefault(f"{found[1]}#{found[3]}", []).append((found[2], key))
    for named in columns.values():
        parts = ", ".join(f'"agent {number}": {_quote(key)}' for number, key in named)
        size = sum(len(debate[key]) for _, key in named)
        yield Spoken({"agents": f"{{{parts}}}"}, size)


def _find_in(path: str, key: str, value: Any, depth: int) -> Iterator[Spoken]:  # noqa: ANN401 -- any JSON
    """Yield what of a value looks like turns."""
    parts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(parts, list) or not parts or not depth:
        return
    if isinstance(value, list) and all(map(_is_turn, parts)):
        own = _describe_turn(parts)
        if _has_prompts(own, parts):
            path, own = f"{path}{_REPLIES}", {"reply": own["reply"]}
        yield Spoken({"turns": path, **own}, _measure(parts))
    elif len(parts) > isinstance(value, dict) and all(isinstance(each, str) for each in parts):
        yield Spoken({"agents": path}, _measure(parts))
    elif all(isinstance(each, list | dict) and each for each in parts):
        yield from _find_nested(path, key, value, parts)
    if isinstance(value, dict):
        for inner, each in value.items():
            yield from _find_in(f"{path}.{_quote(inner)}", inner, each, depth - 1)


def _find_nested(path: str, key: str, value: Any, parts: list[Any]) -> Iterator[Spoken]:  # noqa: ANN401
    """Yield agents with their rounds, or rounds with their agents."""
    inner = [list(each.values()) if isinstance(each, dict) else each for each in parts]
    flat = [each for one in inner for each in one]
    texts, turns = all(isinstance(each, str) for each in flat), all(map(_is_turn, flat))
    if not texts and not turns:
        return
    by_round = isinstance(value, list) and (
        any(word in key.lower() for word in _NAMES["round"].split())
        or all(isinstance(each, dict) for each in parts)
    )
    outer, other = ("rounds", "agents") if by_round else ("agents", "rounds")
    lines = {outer: path, other: "@"}
    if turns:
        own = _describe_turn(flat)
        if _has_prompts(own, flat):
            own = {"reply": own["reply"]}
            lines[other] = _REPLIES
        lines |= own
    yield Spoken(lines, _measure(flat))


def _has_prompts(lines: dict[str, str], turns: list[dict[str, Any]]) -> bool:
    """Return whether messages are told apart by roles alone, and some are a model's prompts."""
    roles = {str(each.get("role")) for each in turns}
    return lines.get("agent") == "role" and roles >= {"user", "assistant"}


def _is_turn(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(value, dict) and bool(_pick(value, "reply", (str,), set()))


def _describe_turn(turns: list[dict[str, Any]]) -> dict[str, str]:
    """Return the keys of turns: those that the first has."""
    taken = set[str]()
    lines: dict[str, str] = {}
    for key, kinds in [
        ("reply", (str,)),
        ("agent", (str, int)),
        ("round", (int,)),
        ("model", (str,)),
        ("stated", (str, int, float)),
    ]:
        lines |= _pick(turns[0], key, kinds, taken)
    return lines


def _measure(parts: list[Any]) -> int:
    """Return the characters of texts, or of the longest text of each turn."""
    texts = (each.values() if isinstance(each, dict) else [each] for each in parts)
    return sum(
        max((len(text) for text in own if isinstance(text, str)), default=0) for own in texts
    )


def _quote(key: str) -> str:
    """Return a key as JMESPath has it."""
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=True)


def _write(lines: dict[str, str], debate: dict[str, Any], name: str) -> str:
    """Return the mapping as TOML, with what was not found as comments."""
    written = [f"# drafted from {name}; expressions are JMESPath, looked up in a debate"]
    written += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in lines.items()]
    for key, what in [
        ("question", "the text of the question; else the key of the debate is it"),
        ("answer", "the right answer"),
        ("final", "the answer that the log states at the end"),
    ]:
        if key not in lines:
            written.append(f"# {key} = ...  {what}")
    left = [key for key in debate if not any(_quote(key) in each for each in lines.values())]
    if left:
        written.append(f"# not used: {', '.join(map(_quote, left))[:160]}")
    return "\n".join(written) + "\n"
