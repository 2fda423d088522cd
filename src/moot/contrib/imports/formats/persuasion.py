"""Talks in which one model tries to persuade another of a proposition, in Markdown."""

import re
from collections.abc import Iterator

from moot.contrib.imports.debate_log import LoggedAgent, LoggedDebate, LoggedQuestion, LoggedTurn
from moot.contrib.imports.log_files import Log, LogFile
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import stem
from moot.contrib.imports.talks import pick_files

_HEAD = "# Persuasion Transcript"
_PROPOSITION = re.compile(r"^## Proposition\n+(.+?)\n+(?=## )", re.MULTILINE | re.DOTALL)
_TURN = re.compile(
    r"^## Turn \d+\n+- speaker_role: `(.+?)`\n- speaker_model: `(.+?)`\n+", re.MULTILINE
)
_SIDE = re.compile(r"__(pro|con)(__|$)")


def _look(log: Log) -> str:
    heads = (file.read_text()[:100] for file in pick_files(log, ".md"))
    fits = any(each.startswith(_HEAD) for each in heads)
    return "" if fits else f"no Markdown with {_HEAD!r}"


@log_format("persuasion", look=_look)
def persuasion(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Talks in which one model tries to persuade another of a proposition, in Markdown."""
    for file in log.files(".md"):
        text = file.read_text()
        proposition, turns = _PROPOSITION.search(text), [*_TURN.finditer(text)]
        if proposition is None or not turns:
            yield Unread(file.name, "no talk: a proposition and turns of speakers are expected")
        else:
            ends = [*(each.start() for each in turns[1:]), len(text)]
            said = [text[each.end() : end] for each, end in zip(turns, ends, strict=True)]
            yield _make_talk(file, stem(log.name), proposition[1], turns, said)


def _make_talk(
    file: LogFile, dataset: str, proposition: str, turns: list[re.Match[str]], said: list[str]
) -> LoggedDebate:
    models = {turn[1]: turn[2] for turn in turns}
    side = _SIDE.search(stem(file.name))
    return LoggedDebate(
        id=stem(file.name).partition("__")[0],
        question=LoggedQuestion(text=proposition, kind="text"),
        agents=tuple(
            LoggedAgent(name=role, model=model, role=role, answers=False)
            for role, model in models.items()
        ),
        turns=tuple(
            LoggedTurn(
                agent=turn[1],
                text=words.removesuffix("\n\n" if number < len(turns) else "\n"),
                round=(number + 1) // 2,
                reads=tuple(range(1, number)),
                model="" if turn[2] == models[turn[1]] else turn[2],
                votes=False,
            )
            for number, (turn, words) in enumerate(zip(turns, said, strict=True), 1)
        ),
        dataset=dataset,
        method="recorded",
        settings={"side": side[1]} if side else {},
        labels={"talk": stem(file.name)},
        place=file.name,
    )
