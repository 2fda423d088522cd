"""Parts that readers of logs share: messages as OpenAI's API has them, names, ids of questions."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from moot import InputError
from moot.contrib.imports.debate_log import LoggedMessage, LoggedTurn
from moot.contrib.imports.log_files import Log, LogFile

_JSON = (".json", ".jsonl", ".ndjson")
_OTHER = "not of this format"
_NAMED = 5
"""The most files that are named as left out."""
_LOOKED = 200
"""The most files that are looked at to find a log's format."""


class ReadMessage(NamedTuple):
    """A message of a log.

    Attributes:
        role: ``"user"``, ``"assistant"`` …; empty where the log does not say.
        text: its words.
        name: of the speaker; empty without one.
        more: fields of ``LoggedTurn`` that a completion states: model, tokens, finish.
    """

    role: str
    text: str
    name: str
    more: dict[str, Any]


def read_message(value: Any) -> ReadMessage | None:  # noqa: ANN401 -- any JSON
    """Return a message: ``{"role", "content"}``, a completion with ``choices``, or a text."""
    if isinstance(value, str):
        return ReadMessage("", value, "", {})
    if not isinstance(value, dict):
        return None
    role, content = value.get("role"), value.get("content")
    words = content if isinstance(content, str) else read_content(content)
    if isinstance(role, str) and words is not None:
        name = value.get("name")
        return ReadMessage(role, words, name if isinstance(name, str) else "", {})
    match value.get("choices"):
        case [{"message": inner}, *_]:
            found = read_message(inner)
            return found and found._replace(more=_read_completion(value))
    return None


def read_content(content: object) -> str | None:
    """Return the words of a message's content; None for what has no words."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [each.get("text") if isinstance(each, dict) else each for each in content]
        return "".join(each for each in parts if isinstance(each, str))
    return None


def _read_completion(value: Mapping[str, Any]) -> dict[str, Any]:
    usage = value.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    stated = {
        "model": (value.get("model"), str),
        "finish": (value["choices"][0].get("finish_reason"), str),
        "prompt_tokens": (usage.get("prompt_tokens"), int),
        "completion_tokens": (usage.get("completion_tokens"), int),
    }
    return {name: it for name, (it, kind) in stated.items() if isinstance(it, kind)}


def split_replies(context: list[Any]) -> Iterator[tuple[ReadMessage, list[LoggedMessage]]]:
    """Yield the replies in an agent's messages, each with the prompt before it."""
    prompt: list[LoggedMessage] = []
    for message in map(read_message, context):
        if message is not None and message.role == "assistant":
            yield message, prompt
            prompt = []
        elif message is not None:
            prompt.append(LoggedMessage(role=message.role or "user", content=message.text))


def make_turn(
    agent: str, message: ReadMessage, prompt: list[LoggedMessage], number: int
) -> LoggedTurn:
    """Return a reply in a round, with the prompt that led to it."""
    return LoggedTurn(
        agent=agent, text=message.text, round=number, prompt=tuple(prompt), **message.more
    )


def read_answer(value: object) -> str | tuple[str, ...] | None:
    """Return a right answer as a log states it: a text, a number, or a list of either."""
    match value:
        case bool() | None:
            return None if value is None else str(value).lower()
        case str():
            return value
        case int() | float():
            return repr(value)
        case [one]:
            return read_answer(one)
        case [*several] if several:
            answers = tuple(map(read_answer, several))
            texts = tuple(each for each in answers if isinstance(each, str))
            return texts if len(texts) == len(answers) else None
    return None


def stem(name: str) -> str:
    """Return the name of a file without folders and endings: ``gsm_3_2`` of ``a/gsm_3_2.json``."""
    name = PurePosixPath(name).name
    for ending in (".gz", ".json", ".jsonl", ".ndjson", ".md", ".zip", ".tar", ".tgz"):
        name = name.removesuffix(ending)
    return name


class Questions:
    """Ids of questions that have none in their log: numbers, in the order of appearance.

    Two files with the same question have the same id for it.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._seen: Counter[tuple[str, int]] = Counter()

    def take(self, file: str, text: str) -> tuple[str, int]:
        """Return a question's id, and how many times that file has had it before."""
        digest = hash(text)
        number = self._numbers.setdefault(digest, len(self._numbers) + 1)
        self._seen[file, digest] += 1
        return str(number), self._seen[file, digest] - 1


class LogPart(NamedTuple):
    """A file of a log, and what its debates have in common.

    Attributes:
        file: the file.
        dataset: files in one folder whose names begin with the same word share it.
        settings: with several files, the file's name.
    """

    file: LogFile
    dataset: str
    settings: dict[str, Any]


def split_parts(log: Log, fits: Callable[[Any], bool]) -> Iterator[LogPart]:
    """Yield the files whose JSON fits at its beginning; note the others."""
    files = split_files(log, fits)
    stems = Counter(stem(file.name) for file in files)
    words: dict[str, set[str]] = {}
    for file in files:
        words.setdefault(_folder(file.name), set()).add(_first_word(file.name))
    for file in files:
        folder, name = _folder(file.name), stem(file.name)
        word = _first_word(file.name) if len(words[folder]) > 1 else ""
        dataset = "/".join(each for each in (folder, word) if each) or stem(log.name)
        shown = f"{folder}/{name}" if stems[name] > 1 and folder else name
        yield LogPart(file, dataset, {"file": shown} if len(files) > 1 else {})


def name_folder(log: Log, file: LogFile) -> str:
    """Return the dataset of a file that is one debate: its folder, else the log's name."""
    return _folder(file.name) or stem(log.name)


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


def _first_word(name: str) -> str:
    found = re.match(r"[^\W\d_]+", stem(name))
    return found[0].lower() if found else ""


def split_files(log: Log, fits: Callable[[Any], bool]) -> list[LogFile]:
    """Return the files whose JSON fits at its beginning; note the others."""
    found, others = [], []
    for file in log.files(*_JSON):
        why = _misfit(log, file, fits)
        if not why:
            found.append(file)
        elif why == _OTHER:
            others.append(file.name)
        else:
            log.note(file.name, f"left out: {why}")
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        log.note(f"{', '.join(others[:_NAMED])}{more}", f"left out: {_OTHER}")
    return found


def some_fit(log: Log, fits: Callable[[Any], bool]) -> bool:
    """Whether one of a log's first files fits."""
    return any(not _misfit(log, file, fits) for file in islice(log.files(*_JSON), _LOOKED))


def _misfit(log: Log, file: LogFile, fits: Callable[[Any], bool]) -> str:
    """Return why a file does not fit; empty where it does.

    Among other files, one that does not begin as JSON is not of the log.
    """
    try:
        return "" if fits(file.peek()) else _OTHER
    except InputError as error:
        if len(log.all_files) == 1:
            raise
        return str(error)
