"""Mapping files: where a log of no known format has its debates, in TOML with JMESPath.

A mapping says where things are: each key has a JMESPath expression. ``debates`` is looked up in the
whole file; without it each line, or each member of the file, is a debate. ``question`` and the like
are looked up in a debate. The turns are found by ``turns``, a flat list, or by ``agents`` and
``rounds``, one within the other, as they stand in the mapping. ``reply`` and the like are looked up
in what is found there.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, get_args

from msgspec import structs

from moot import InputError
from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.log_files import Log, LogFile
from moot.contrib.imports.log_format import LogFormat, Unread
from moot.contrib.imports.log_parts import Questions, read_answer, stem
from moot.extend.calls import parse_toml, read_small
from moot.extend.faults import check_known
from moot.extend.records import Kind
from moot.extend.words import on_one_line

WORDS = ("kind", "method", "dataset", "judges")
"""Keys with plain words, no expressions; ``judges`` has a list of names."""
NESTS = ("turns", "agents", "rounds")
"""Keys that lead to the turns."""
KEYS = (
    *WORDS,
    *("debates", "id", "question", "answer", "options", "context", "final", "correct", "judge"),
    "setting",
    *NESTS,
    *("reply", "agent", "round", "model", "stated", "cut", "prompt_tokens", "completion_tokens"),
)
"""All keys of a mapping."""
_ENDINGS = (".json", ".jsonl", ".ndjson")


class _Odd(Exception):
    """Something in a debate is not what the mapping expects; the text says what."""


class Said(NamedTuple):
    """The words of one turn, and their place in the log.

    Attributes:
        agent: by the place of the turn.
        round: by the place of the turn; 0 where that does not say.
        value: what stands there.
    """

    agent: str
    round: int
    value: Any


class MappingFile:
    """A mapping: expressions by key, and the lines on which they stand.

    Args:
        content: of the file.
        name: of the file, for errors.

    Attributes:
        judges: the names of agents without an answer of their own.

    Raises:
        InputError: it is no TOML, has a key that is none, or an expression that is none.
    """

    def __init__(self, content: bytes, name: str) -> None:
        self.name = name
        self.table = parse_toml(content, where=name)
        self._lines = content.decode("utf-8-sig").splitlines()
        check_known("key of a mapping", self.table, KEYS, where=name)
        kind = [self.table["kind"]] if "kind" in self.table else []
        check_known("kind of question", map(str, kind), get_args(Kind), where=self.name)
        for key in self.table.keys() & {"method", "dataset"}:
            if not isinstance(self.table[key], str):
                raise InputError(f"{self.place(key)}: should be a text")
        self._expressions = {
            key: self._compile(key, value) for key, value in self.table.items() if key not in WORDS
        }
        judges = self.table.get("judges", [])
        if not isinstance(judges, list) or not all(isinstance(each, str) for each in judges):
            raise InputError(f"{self.place('judges')}: should be a list of names")
        self.judges = frozenset(judges)
        if not self.table.keys() & set(NESTS):
            raise InputError(f"{name}: needs turns, agents or rounds: where the replies are")
        if "turns" in self.table and self.table.keys() & {"agents", "rounds"}:
            raise InputError(f"{self.place('turns')}: stands alone, without agents and rounds")

    def place(self, key: str) -> str:
        """Return the line of a key and what it says."""
        found = (n for n, line in enumerate(self._lines, 1) if re.match(rf"\s*{key}\s*=", line))
        said = on_one_line(repr(self.table[key]), 200)
        return f"{self.name}, line {next(found, 1)}: {key} = {said}"

    def word(self, key: str) -> str:
        """Return a plain word of the mapping; empty where it is not there."""
        return str(self.table.get(key, ""))

    @cached_property
    def nests(self) -> tuple[str, ...]:
        """The keys that lead to the turns, in their order."""
        return tuple(key for key in self.table if key in NESTS)

    def find(self, key: str, value: Any) -> Any:  # noqa: ANN401 -- any JSON
        """Return the value of a key's expression; None without one.

        Raises:
            _Odd: it cannot be looked up in this value.
        """
        import jmespath.exceptions

        if key not in self._expressions:
            return None
        try:
            return self._expressions[key].search(value)
        except (jmespath.exceptions.JMESPathError, TypeError, ValueError, RecursionError) as error:
            raise _Odd(f"{self.place(key)}: {error}") from None

    def expect(self, key: str, value: Any, kinds: type | tuple[type, ...], what: str) -> Any:  # noqa: ANN401
        """Return the value of a key if it is of a kind or nothing; else raise ``_Odd``."""
        found = self.find(key, value)
        if found is None or (isinstance(found, kinds) and not isinstance(found, bool)):
            return found
        raise _Odd(f"{self.place(key)} gave {_show(found)}; {what} is expected")

    def need(self, key: str, value: Any, kinds: type | tuple[type, ...], what: str) -> Any:  # noqa: ANN401
        """Return the value of a key, of a kind; else raise ``_Odd``."""
        if (found := self.expect(key, value, kinds, what)) is None:
            raise _Odd(f"{self.place(key)} gave nothing; {what} is expected")
        return found

    def _compile(self, key: str, expression: object) -> Any:  # noqa: ANN401 -- jmespath has no types
        try:
            import jmespath
        except ImportError:
            raise InputError("a mapping needs jmespath: pip install 'moot[imports]'") from None
        if not isinstance(expression, str):
            raise InputError(f"{self.place(key)}: should be a JMESPath expression in quotes")
        try:
            return jmespath.compile(expression)
        except (ValueError, RecursionError) as error:  # of jmespath, and numbers of 5,000 digits
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise InputError(f"{self.place(key)}: no JMESPath expression: {reason}") from None


def read_mapping(path: str | Path) -> LogFormat:
    """Return the format that a mapping file describes.

    Raises:
        InputError: the file cannot be read, or is no mapping; the text names the line.
    """
    path = Path(path)
    try:
        content = read_small(path, most=1 << 20)
    except OSError as error:
        raise InputError(f"--mapping {path}: cannot be read: {error.strerror or error}") from None
    mapping = MappingFile(content, path.name)

    def look(log: Log) -> str:
        return "" if any(log.files(*_ENDINGS)) else "no JSON file"

    def read(log: Log) -> Iterator[LoggedDebate | Unread]:
        yield from read_mapped(log, mapping)

    digest = blake2b(content, digest_size=8).hexdigest()
    return LogFormat("mapping", look, read, f"{path.name}, {digest}")


def read_mapped(log: Log, mapping: MappingFile) -> Iterator[LoggedDebate | Unread]:
    """Yield the debates of a log by a mapping."""
    questions = Questions()
    files = list(log.files(*_ENDINGS))
    for file in files:
        try:
            yield from _read_file(log, mapping, file, questions, several=len(files) > 1)
        except _Odd as odd:  # the file has no debates where the mapping says
            if len(files) == 1:
                raise InputError(str(odd)) from None
            yield Unread(file.name, str(odd))


def _read_file(
    log: Log, mapping: MappingFile, file: LogFile, questions: Questions, *, several: bool
) -> Iterator[LoggedDebate | Unread]:
    """Yield the debates of one file. Raises ``_Odd``."""
    for key, value, place in _list_debates(file, mapping):
        told = several and key != 0  # a file that is one debate is no setting
        settings = {"file": stem(file.name)} if told else {}
        try:
            made = _make_debate(mapping, key, value)
        except _Odd as odd:
            yield Unread(place, str(odd))
            continue
        name, replicate = made.id, 0
        if not name:
            name, replicate = questions.take(file.name, made.question.text)
        dataset = mapping.word("dataset") or stem(log.name)
        yield structs.replace(
            made,
            id=name,
            replicate=replicate,
            dataset=dataset,
            place=place,
            settings=made.settings | settings,
        )


def _list_debates(
    file: LogFile, mapping: MappingFile
) -> Iterator[tuple[str | int, dict[str, Any] | list[Any] | Any, str]]:
    """Yield the debates of a file, each with its key or number, 0 for the only one, and its place.

    Raises ``_Odd``.
    """
    if "debates" not in mapping.table:
        for key, value in file.iterate_items():
            yield key, value, file.place(key)
        return
    wholes = file.read_lines() if file.is_lines else [(1, file.read_json())]
    number = 0
    for line, whole in wholes:
        where = file.place(line) if file.is_lines else file.name
        try:
            found = mapping.need("debates", whole, (list, dict), "a list of debates, or one debate")
        except _Odd as odd:
            raise _Odd(f"{where}: {odd}") from None
        if isinstance(found, dict) and not file.is_lines:
            yield 0, found, f"{file.name}, debate 1"
            return
        for value in found if isinstance(found, list) else [found]:
            number += 1
            yield number, value, f"{file.name}, debate {number}"


def _make_debate(mapping: MappingFile, key: str | int, value: Any) -> LoggedDebate:  # noqa: ANN401 -- any JSON
    """Return a debate, its place and its dataset left out. Raises ``_Odd``."""
    turns = list(_make_turns(mapping, value))
    judged = mapping.expect("judge", value, (str, list), "a text, or a list of texts")
    for text in [judged] if isinstance(judged, str) else judged or []:
        if not isinstance(text, str):
            raise _Odd(f"{mapping.place('judge')} gave {_show(text)}; a text is expected")
        turns.append(LoggedTurn(agent="judge", text=text, step="judge", votes=False))
    names = list(dict.fromkeys(turn.agent for turn in turns))
    silent = mapping.judges | ({"judge"} if judged else set())
    agents = tuple(_make_agent(name, turns, judge=name in silent) for name in names)
    models = {agent.name: agent.model for agent in agents}
    turns = [
        structs.replace(turn, model="" if models[turn.agent] else turn.model) for turn in turns
    ]
    stated = mapping.expect("id", value, (str, int), "a text or a number")
    setting = mapping.expect("setting", value, (str, int, float), "a text or a number")
    return LoggedDebate(
        id="" if stated is None else str(stated),
        question=_make_question(mapping, key, value),
        agents=agents,
        turns=tuple(turns),
        method=mapping.word("method") or "recorded",
        settings={} if setting is None else {"setting": setting},
        verdict=_make_verdict(mapping, value, len(turns) if judged else None),
    )


def _make_question(mapping: MappingFile, key: str | int, value: Any) -> LoggedQuestion:  # noqa: ANN401
    if "question" not in mapping.table and isinstance(key, str):
        text = key
    elif "question" not in mapping.table:
        raise _Odd(f"{mapping.name} needs the key question")
    else:
        text = mapping.need("question", value, str, "a text")
    options = mapping.expect("options", value, (list, dict), "a list or an object of texts")
    listed = options.values() if isinstance(options, dict) else options or ()
    right = mapping.find("answer", value)
    answer = read_answer(right)
    if right is not None and answer is None:
        raise _Odd(f"{mapping.place('answer')} gave {_show(right)}; a text or a number is expected")
    return LoggedQuestion(
        text=text,
        kind=mapping.word("kind"),
        choices=tuple(each if isinstance(each, str) else _show(each) for each in listed),
        context=mapping.expect("context", value, str, "a text") or "",
        answer=answer,
    )


def _make_agent(name: str, turns: list[LoggedTurn], *, judge: bool) -> LoggedAgent:
    models = {turn.model for turn in turns if turn.agent == name}
    return LoggedAgent(
        name=name,
        model=models.pop() if len(models) == 1 else "",
        role="judge" if judge else "debater",
        answers=not judge,
    )


def _make_verdict(mapping: MappingFile, value: Any, turn: int | None) -> LoggedVerdict | None:  # noqa: ANN401
    final = read_answer(mapping.find("final", value))
    correct = mapping.find("correct", value)
    if isinstance(final, tuple):
        raise _Odd(f"{mapping.place('final')} gave {_show(final)}; one answer is expected")
    if correct is not None and not isinstance(correct, bool | int):
        raise _Odd(f"{mapping.place('correct')} gave {_show(correct)}; true or false is expected")
    if final is None and correct is None and turn is None:
        return None
    right = None if correct is None else bool(correct)
    return LoggedVerdict(answer=final, turn=turn, by="judge" if turn else "", correct=right)


def _make_turns(mapping: MappingFile, value: Any) -> Iterator[LoggedTurn]:  # noqa: ANN401 -- any JSON
    """Yield the turns of a debate, those of an earlier round first."""
    said = list(_find_said(mapping, mapping.nests, Said("", 0, value)))
    if mapping.nests == ("agents", "rounds"):
        said.sort(key=lambda each: each.round)
    for each in said:
        if each.value is None and "reply" not in mapping.table:
            continue  # there is no reply here
        yield _make_turn(mapping, each)


def _find_said(mapping: MappingFile, nests: tuple[str, ...], found: Said) -> Iterator[Said]:
    if not nests:
        yield found
        return
    key, *inner = nests
    parts = mapping.need(key, found.value, (list, dict), "a list or an object")
    named = parts.items() if isinstance(parts, dict) else enumerate(parts, 1)
    for number, (name, value) in enumerate(named, 1):
        one = found._replace(value=value)
        if key == "agents":
            one = one._replace(agent=name if isinstance(name, str) else f"agent {name}")
        elif key == "rounds":
            one = one._replace(round=number)
        yield from _find_said(mapping, tuple(inner), one)


def _make_turn(mapping: MappingFile, said: Said) -> LoggedTurn:
    value = said.value
    text = value
    if "reply" in mapping.table:
        text = mapping.need("reply", value, str, "a text")
    elif not isinstance(value, str):
        raise _Odd(f"{mapping.place(mapping.nests[-1])} leads to {_show(value)}; say reply = …")
    agent = mapping.expect("agent", value, (str, int), "a name")
    number = mapping.expect("round", value, (int, str), "a number")
    if isinstance(number, str) and not number.isdecimal():
        raise _Odd(f"{mapping.place('round')} gave {_show(number)}; a number is expected")
    stated = read_answer(mapping.find("stated", value))
    name = said.agent if agent is None else str(agent)
    return LoggedTurn(
        agent=name or "agent",
        text=text,
        round=said.round if number is None else max(int(number), 0),
        model=mapping.expect("model", value, str, "a text") or "",
        answer=stated if isinstance(stated, str) else None,
        finish="length" if mapping.find("cut", value) is True else "",
        votes=name not in mapping.judges,
        prompt_tokens=mapping.expect("prompt_tokens", value, int, "a number"),
        completion_tokens=mapping.expect("completion_tokens", value, int, "a number"),
    )


def _show(value: object) -> str:
    """Return a value for an error, shortened."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
