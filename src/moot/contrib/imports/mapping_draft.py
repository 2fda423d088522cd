"""A first mapping, made from the shape of a log, for its user to mend."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from moot import InputError
from moot.contrib.imports.log_files import Log, LogFile

_NAMES = {
    "id": "id qid question_id uid idx index",
    "question": "question problem query topic motion resolution claim prompt task input "
    "instruction statement debate_topic problem_context",
    "answer": "answer gold correct_answer ground_truth groundtruth label correct_label target "
    "reference expected solution",
    "options": "options choices candidates",
    "final": "final_answer final prediction predicted verdict consensus majority_vote result",
    "correct": "correct is_correct",
    "setting": "setting method strategy structure condition",
    "judge": "judge judge_response judge_result judgment judgement summary synthesis",
    "reply": "content text message msg response reply argument output answer completion evaluation",
    "agent": "agent agent_name name speaker author side role source model type",
    "round": "round turn step iteration",
    "model": "model",
    "stated": "answer extracted_answer prediction solution",
}
"""The usual names in logs of what a key of a mapping leads to, the likeliest first."""
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|(?:values\(@\)\[0\])?\[\d+\]")
"""The parts of an expression that need no quotes: a plain key, or a place in a list."""
_BESIDE = re.compile(r"(?i)prompt|system|config|doc|context$|source|persona")
_NUMBERED = re.compile(r"(?i)^(.*?(?:agent|response|answer|reply|debater|model)[ _-]?)(\d+)(.*)$")
_ROUND = re.compile(r"(?i)\d|round|opening|rebuttal|closing")
_DEPTH = 4
_FILES = 50
"""The most files of a log that are looked at for a draft."""
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


class Draft(NamedTuple):
    """A mapping as it is guessed from one file.

    Attributes:
        rank: whether there is a question, and how long the replies are: the most wins.
        lines: of the mapping.
        debate: the first one, of which they are guessed.
        file: its name.
    """

    rank: tuple[bool, int]
    lines: dict[str, str]
    debate: dict[str, Any]
    file: str


def draft_mapping(log: Log) -> str:
    """Return a mapping in TOML, as good as can be guessed from the first debates.

    Of several files that of the longest replies counts, before all of those with a question.

    Raises:
        InputError: there is no JSON in the log, or no text that looks like replies.
    """
    files = islice(log.files(".json", ".jsonl", ".ndjson"), _FILES)
    drafts = [draft for draft in map(_draft_file, files) if draft]
    if not drafts:
        raise InputError(
            f"{log.path}: no mapping can be drafted: no JSON with an object of which a part looks "
            "like replies; write one by hand"
        )
    best = max(drafts, key=lambda each: each.rank)
    return _write(best.lines, best.debate, best.file)


def _draft_file(file: LogFile) -> Draft | None:
    """Return the mapping guessed from a file; None where nothing looks like replies."""
    try:
        head = file.peek()
    except InputError:  # damaged, or none of the log
        return None
    drafts = list[Draft]()
    for where, debate in _list_candidates(head, is_lines=file.is_lines):
        if found := _draft(debate):
            lines = {**where, **found.lines}
            keyed = isinstance(head, dict) and "debates" not in lines and not file.is_lines
            rank = "question" in lines or keyed, found.size
            drafts.append(Draft(rank, lines, debate, file.name))
    return max(drafts, key=lambda each: each.rank[0], default=None)


def _list_candidates(
    head: Any,  # noqa: ANN401 -- any JSON
    *,
    is_lines: bool,
) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Yield possible debates in the beginning of a file, and how each is reached."""
    if isinstance(head, list):
        yield from map(_open_member, head[:1])
        for key, value in head[0].items() if head and isinstance(head[0], dict) else ():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                yield {"debates": _quote(key) if is_lines else f"[].{_quote(key)}[]"}, value[0]
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


def _draft(debate: dict[str, Any]) -> Spoken | None:
    """Return the keys that can be guessed; None where nothing looks like replies."""
    plain, taken = (str, int, float), set[str]()
    lines: dict[str, str] = {}
    for key, kinds in [
        ("id", (str, int)),
        ("question", (str,)),
        ("final", plain),
        ("correct", (bool,)),
        ("setting", (str,)),
        ("answer", (*plain, list)),
        ("options", (list, dict)),
    ]:
        lines |= _pick(debate, key, kinds, taken)
    rest = {key: value for key, value in debate.items() if key not in taken}
    said = {key: value for key, value in rest.items() if not _BESIDE.search(key)}
    candidates = [*_find_spoken(said)] or [*_find_spoken(rest)]
    spoken = max(candidates, key=lambda each: each.size, default=None)
    if spoken is None:
        return None
    if "question" not in lines and _REPLIES in (path := spoken.lines.get("turns", "")):
        lines["question"] = path.replace(_REPLIES, "[0].content")
    name = lines.get("id", "")
    if name and "question" not in lines and isinstance(debate.get(_bare(name)), str):
        lines["question"] = name  # some logs have names of questions alone
    return Spoken(lines | spoken.lines | _pick(debate, "judge", (str,), taken), spoken.size)


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
    alike: dict[tuple[str, ...], list[str]] = {}
    for key, value in debate.items():
        yield from _find_in(_quote(key), key, value, _DEPTH)
        if isinstance(value, str) and (found := _NUMBERED.match(key)):
            columns.setdefault(f"{found[1]}#{found[3]}", []).append((found[2], key))
        if rounds := _list_rounds(value):
            alike.setdefault(rounds, []).append(key)
    for named in columns.values():
        parts = ", ".join(f'"agent {number}": {_quote(key)}' for number, key in named)
        size = sum(len(debate[key]) for _, key in named)
        yield Spoken({"agents": f"{{{parts}}}"}, size)
    for names in alike.values():
        if len(names) > 1:
            size = sum(_measure([*debate[name].values()]) for name in names)
            yield Spoken({"agents": _name_parts(names), "rounds": "@"}, size)


def _list_rounds(value: Any) -> tuple[str, ...]:  # noqa: ANN401 -- any JSON
    """Return the names of an agent's rounds, ``round_1`` and the like, if each has a text."""
    if not isinstance(value, dict) or len(value) < 2:
        return ()
    fits = all(isinstance(text, str) and _ROUND.search(name) for name, text in value.items())
    return tuple(value) if fits else ()


def _name_parts(names: list[str]) -> str:
    """Return an expression for an object of the parts of these names."""
    return f"{{{', '.join(f'{_quote(name)}: {_quote(name)}' for name in names)}}}"


def _find_in(path: str, key: str, value: Any, depth: int) -> Iterator[Spoken]:  # noqa: ANN401 -- any JSON
    """Yield the parts of a value that look like turns."""
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
    if isinstance(value, list) and (names := _find_speakers(parts)):
        size = _measure([each.get(name, "") for each in parts for name in names])
        yield Spoken({"rounds": path, "agents": _name_parts(names)}, size)
        return
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


def _find_speakers(rounds: list[Any]) -> list[str]:
    """Return the keys of rounds under which each agent's text stands, beside others; else none."""
    if not all(isinstance(each, dict) for each in rounds):
        return []
    beside = {name for key in ("round", "id", "question", "judge") for name in _NAMES[key].split()}
    names = [
        key
        for key in rounds[0]
        if key.lower() not in beside and all(isinstance(each.get(key), str) for each in rounds)
    ]
    mixed = any(not isinstance(text, str) or key in beside for key, text in rounds[0].items())
    return names if mixed and len(names) > 1 else []


def _has_prompts(lines: dict[str, str], turns: list[dict[str, Any]]) -> bool:
    """Return whether messages are told apart by roles alone, and some are a model's prompts."""
    roles = {str(each.get("role")) for each in turns}
    return lines.get("agent") == "role" and roles >= {"user", "assistant"}


def _is_turn(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(value, dict) and bool(_find_reply(value, set()))


def _find_reply(turn: dict[str, Any], taken: set[str]) -> dict[str, str]:
    """Return the place of the words of a turn: a text, or one in an object beside its tokens."""
    if found := _pick(turn, "reply", (str,), taken):
        return found
    outer = _pick(turn, "reply", (dict,), taken)
    inner = turn[_bare(outer["reply"])] if outer else {}
    words = _pick(inner, "reply", (str,), set())
    if not words:
        return {}
    path, usage = outer["reply"], inner.get("usage")
    tokens = {
        name: f"{path}.usage.{name}"
        for name in ("prompt_tokens", "completion_tokens")
        if isinstance(usage, dict) and isinstance(usage.get(name), int)
    }
    return {"reply": f"{path}.{words['reply']}"} | tokens


def _describe_turn(turns: list[dict[str, Any]]) -> dict[str, str]:
    """Return the keys of turns: those that the first has."""
    taken = set[str]()
    lines = _find_reply(turns[0], taken)
    for key, kinds in [
        ("agent", (str, int)),
        ("round", (int,)),
        ("model", (str,)),
        ("stated", (str, int, float)),
    ]:
        lines |= _pick(turns[0], key, kinds, taken)
    return lines


def _measure(parts: list[Any]) -> int:
    """Return the characters of texts, or of the longest text of each turn."""
    return sum(map(_find_longest, parts))


def _find_longest(part: Any) -> int:  # noqa: ANN401 -- any JSON
    if isinstance(part, dict):
        return max(map(_find_longest, part.values()), default=0)
    return len(part) if isinstance(part, str) else 0


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
