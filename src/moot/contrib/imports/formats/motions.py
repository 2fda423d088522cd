"""Debates on motions with the sides swapped, and the rulings of judges on them, in Markdown."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.log_files import Log, LogFile
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.talks import pick_files

_REPORT = "# Debate Matchup Judgment Report"
_FIELD = re.compile(r"^- ([\w ()+]+): (.*)$", re.MULTILINE)
_MOTION = re.compile(r"^\*\*Motion:\*\* (.+)$", re.MULTILINE)
_PART = re.compile(r"^## Debate [AB]$", re.MULTILINE)
_ROLES = re.compile(r"PRO = \*\*(.+?)\*\*, CON = \*\*(.+?)\*\*")
_WINNER = re.compile(r"for \*\*(.+)\*\*\.$")
_RULING = re.compile(
    r"^\| (?!Judge \||---)(.+?) \| (.+?) \| ([-+]?[\d.]+) \| [-+\d.]+ \| [\d.]+ \|$", re.MULTILINE
)
_NOTE = re.compile(r"^- \*\*(.+?)\*\*: (.*(?:\n  .*)*)", re.MULTILINE)
_DECISIVE = "Most decisive rebuttal noted: "
_TURN = re.compile(r"^## Turn (\d+): (PRO|CON) (.+)$", re.MULTILINE)
_STEPS = {"pressure questions": "questions"}


class _Ruling(NamedTuple):
    """A judge's ruling: the side that won, by how much, and the judge's words."""

    judge: str
    winner: str
    margin: float
    words: str


class _Sided(NamedTuple):
    """One debate of a match-up: who argued for what, and what was ruled."""

    name: str
    topic: str
    motion: str
    pro: str
    con: str
    result: str = ""
    rulings: Sequence[_Ruling] = ()
    entertainment: Sequence[float] = ()


class _MatchUp(NamedTuple):
    """A report on a match-up: its debates, its judges, and whether its authors rate it."""

    name: str
    debates: Sequence[_Sided]
    judges: Sequence[str]
    rated: bool | None


def _look(log: Log) -> str:
    heads = (file.read_text()[:1000] for file in pick_files(log, ".md"))
    fits = any(each.startswith(_REPORT) or "\n- model_pro: " in each for each in heads)
    return (
        "" if fits else "rulings on match-ups, or debates of model_pro and model_con, in Markdown"
    )


@log_format("motions", look=_look)
def motions(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Debates on motions with the sides swapped, and the rulings on them, in Markdown."""
    spoken: dict[str, LogFile] = {}
    reports = list[LogFile]()
    for file in log.files(".md"):
        text = file.read_text()
        if text.startswith(_REPORT):
            reports.append(file)
        elif "\n- model_pro: " in text[:1000]:
            spoken[file.name.rpartition("/")[2].removesuffix(".md")] = file
        else:
            yield Unread(file.name, "neither rulings on a match-up nor a debate of two models")
    numbers = Counter[str]()
    for report in reports:
        try:
            match = _read_report(report.read_text())
        except (LookupError, ValueError) as error:
            yield Unread(report.name, f"no rulings on a match-up: {error}")
            continue
        topic = match.debates[0].topic
        for debate in match.debates:
            said = spoken.pop(debate.name, None)
            yield _make_debate(debate, match, said, numbers[topic], report.name)
        numbers[topic] += 1
    for name, said in spoken.items():
        debate = _read_head(name, said.read_text())
        match = _MatchUp(name, [debate], (), None)
        yield _make_debate(debate, match, said, numbers[debate.topic], said.name)
        numbers[debate.topic] += 1


def _read_report(text: str) -> _MatchUp:
    head, *parts = _PART.split(text)
    fields = _read_fields(head)
    motion = _MOTION.search(head)
    if motion is None or not parts:
        raise ValueError("a motion and a debate are expected")
    debates = [_read_part(part, fields["topic_id"], motion[1]) for part in parts]
    judges = dict.fromkeys(ruling.judge for each in debates for ruling in each.rulings)
    rated = {"1": True, "0": False}.get(fields.get("rating_eligible", ""))
    return _MatchUp(fields["side_swap_group_id"], debates, sorted(judges), rated)


def _read_fields(text: str) -> dict[str, str]:
    return {name: value.strip("`") for name, value in _FIELD.findall(text)}


def _read_part(text: str, topic: str, motion: str) -> _Sided:
    fields, roles = _read_fields(text), _ROLES.search(text)
    if roles is None:
        raise ValueError("PRO and CON are expected in every debate")
    pro, con = roles.groups()
    words = dict(_NOTE.findall(text))
    sides = {pro: "PRO", con: "CON"}
    rulings = [
        _Ruling(judge, sides.get(won, "tie"), abs(float(margin)), words.get(judge, ""))
        for judge, won, margin in _RULING.findall(text)
    ]
    marks = re.findall(r"[\d.]+", fields.get("entertainment scores", ""))
    result = fields.get("judged result", "")
    name = fields["debate_id"]
    return _Sided(name, topic, motion, pro, con, result, rulings, [*map(float, marks)])


def _read_head(name: str, text: str) -> _Sided:
    """Return a debate without a report on it."""
    fields = _read_fields(text.partition("\n## ")[0])
    topic, motion = fields.get("topic_id", name), fields.get("proposition", "")
    return _Sided(name, topic, motion, fields["model_pro"], fields["model_con"])


def _make_debate(
    debate: _Sided, match: _MatchUp, said: LogFile | None, number: int, place: str
) -> LoggedDebate:
    jurors = {judge: f"juror-{at}" for at, judge in enumerate(match.judges, 1)}
    turns = list(_list_turns(said.read_text())) if said else []
    judged = max((turn.round for turn in turns), default=0) + 1
    turns += [_make_ruling(each, jurors[each.judge], judged) for each in debate.rulings]
    labels = {
        "match": match.name,
        "rated": match.rated,
        "entertainment": debate.entertainment,
        "debate": debate.name,
    }
    verdict = _find_verdict(debate)
    return LoggedDebate(
        id=debate.topic,
        question=LoggedQuestion(text=debate.motion, kind="text"),
        agents=(
            LoggedAgent(name="pro", model=debate.pro, role="pro", answers=False),
            LoggedAgent(name="con", model=debate.con, role="con", answers=False),
            *(
                LoggedAgent(name=name, model=judge, role="juror", answers=False)
                for judge, name in jurors.items()
            ),
        ),
        turns=tuple(turns),
        dataset="motions",
        method="debate-match",
        replicate=number,
        verdict=verdict,
        error="" if verdict else "no ruling in the log",
        settings={"swapped": "__s1__" in debate.name},
        labels={name: value for name, value in labels.items() if value not in (None, (), [])},
        place=place,
    )


def _list_turns(text: str) -> Iterator[LoggedTurn]:
    """Yield what both sides say, without the line of figures above each turn."""
    found = list(_TURN.finditer(text))
    ends = [*(each.start() for each in found[1:]), len(text)]
    for turn, end in zip(found, ends, strict=True):
        _, _, words = text[turn.end() : end].lstrip("\n").partition("\n\n")
        step = re.sub(r" \d+$", "", turn[3]).casefold()
        yield LoggedTurn(
            agent=turn[2].casefold(),
            text=words.removesuffix("\n\n") if end < len(text) else words.removesuffix("\n"),
            round=(int(turn[1]) + 1) // 2,
            step=_STEPS.get(step, step),
            votes=False,
        )


def _make_ruling(ruling: _Ruling, juror: str, number: int) -> LoggedTurn:
    return LoggedTurn(
        agent=juror,
        text=ruling.words,
        round=number,
        step="judge",
        answer=ruling.winner,
        votes=False,
        reading={
            "kind": "match-ruling",
            "winner": ruling.winner,
            "margin": ruling.margin,
            "decisive": ruling.words.partition(_DECISIVE)[2],
        },
    )


def _find_verdict(debate: _Sided) -> LoggedVerdict | None:
    if not debate.rulings:
        return None
    won = _WINNER.search(debate.result)
    sides: Mapping[str, str] = {debate.pro: "PRO", debate.con: "CON"}
    answer = sides.get(won[1], "tie") if won else "tie"
    return LoggedVerdict(answer=answer, text=debate.result, by="jury")
