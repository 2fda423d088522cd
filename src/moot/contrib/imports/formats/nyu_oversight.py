"""Hearings before a judge: debates and consultancies about a text that the judge has not read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from moot import InputError
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

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TABLE = "debates-metadata.jsonl"
_SPEECHES = {"SequentialSpeeches", "SimultaneousSpeeches"}
_FAULTS = (msgspec.ValidationError, AttributeError, LookupError, TypeError, ValueError)
_ADVOCATE = re.compile(r"Debater ([A-Z])")


class _Setup(msgspec.Struct, rename="camel"):
    """The setup of a debate; answers are in the order in which they were shown."""

    source_material: dict[str, dict[str, Any]]
    question: str
    answers: list[str]
    correct_answer_index: int
    roles: dict[str, str]

    @property
    def order(self) -> list[int]:
        """The answers' places as shown, in the order in which the question has them."""
        return sorted(range(len(self.answers)), key=self.answers.__getitem__)

    def letter(self, shown: int) -> str:
        """Return the letter, within the question, of the answer that was shown at a place."""
        return LETTERS[self.order.index(shown)]


class _Hearing(msgspec.Struct):
    setup: _Setup
    rounds: list[dict[str, Any]]


class _Row(NamedTuple):
    """A debate's row in the table of all debates."""

    human: bool | None = None
    in_paper: bool = True
    status: str = ""
    judged: Mapping[str, Any] = {}


def _look(log: Log) -> str:
    return "" if any(map(_fits, pick_files(log, ".json"))) else "no JSON with setup and rounds"


def _fits(file: LogFile) -> bool:
    head = file.peek()
    setup = head.get("setup") if isinstance(head, dict) else None
    return isinstance(setup, dict) and {"sourceMaterial", "answers"} <= setup.keys()


@log_format("nyu-oversight", look=_look)
def nyu_oversight(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Hearings before a judge: speeches, quotations, and the judge's belief after each turn."""
    rows = dict(_read_table(log))
    numbers: dict[tuple[object, ...], str] = {}
    for file in log.files(".json"):
        try:
            hearing = msgspec.convert(file.read_json(), _Hearing)
            yield _read_hearing(hearing, file, rows.get(_name(file), _Row()), numbers)
        except _FAULTS as error:
            yield Unread(file.name, f"no hearing: {error}")


def _name(file: LogFile) -> str:
    return file.name.rpartition("/")[2].removesuffix(".json")


def _read_table(log: Log) -> Iterator[tuple[str, _Row]]:
    for file in log.files(_TABLE):
        for line, row in file.read_lines():
            try:
                [(status, more)] = row["status"].items()
                judged = (more.get("result") or {}).get("judgingInfo") or {}
                paper = row.get("includedInPaper", True)
                yield row["name"], _Row(row["setting"]["isHuman"], paper, status, judged)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise InputError(f"{file.name}, line {line}: no row of a debate: {error}") from None


def _read_hearing(
    hearing: _Hearing, file: LogFile, row: _Row, numbers: dict[tuple[object, ...], str]
) -> LoggedDebate:
    setup = hearing.setup
    [material] = setup.source_material.values()
    tokens: Sequence[str] = material["contents"]
    story = str(material.get("articleId") or material["title"])
    asked = story, setup.question, *sorted(setup.answers)
    name = numbers.setdefault(asked, f"{story}-{1 + sum(key[0] == story for key in numbers)}")
    turns = list(_list_turns(hearing, tokens))
    advocates = [role for role in setup.roles if _ADVOCATE.fullmatch(role)]
    who = {True: "human", False: "ai", None: "unknown"}[row.human]
    verdict = _find_verdict(hearing, row, turns)
    return LoggedDebate(
        id=name,
        question=LoggedQuestion(
            text=setup.question,
            kind="choice",
            choices=tuple(setup.answers[place] for place in setup.order),
            context=" ".join(tokens),
            answer=setup.letter(setup.correct_answer_index),
        ),
        agents=tuple(_seat(setup, turns, row)),
        turns=tuple(turns),
        dataset="QuALITY" if row.in_paper else "QuALITY, not in the paper",
        method="oversight-debate" if len(advocates) > 1 else "oversight-consultancy",
        verdict=verdict,
        error="" if verdict else _explain_end(row),
        settings={"advocates": who, "swapped": setup.order != sorted(setup.order)},
        labels={"name": _name(file), "judge": setup.roles.get("Judge", ""), **_list_labels(row)},
        place=file.name,
    )


def _seat(setup: _Setup, turns: Sequence[LoggedTurn], row: _Row) -> Iterator[LoggedAgent]:
    """Yield the advocates, the judge, and those who judged the record afterwards."""
    advocates = sum(map(bool, map(_ADVOCATE.fullmatch, setup.roles)))
    for role, person in sorted(setup.roles.items()):
        advocate = bool(_ADVOCATE.fullmatch(role))
        human = row.human if advocate else True
        model = "human" if human else "" if human is None else person
        part = ("debater" if advocates > 1 else "consultant") if advocate else "judge"
        yield LoggedAgent(name=role, model=model, role=part, answers=False)
    for name in dict.fromkeys(turn.agent for turn in turns if turn.agent not in setup.roles):
        yield LoggedAgent(name=name, model="human", role="judge", answers=False)


def _list_turns(hearing: _Hearing, tokens: Sequence[str]) -> Iterator[LoggedTurn]:
    """Yield the turns; all read what was said before, at the same time that before their round."""
    setup = hearing.setup
    number, speeches = 0, 0
    for each in hearing.rounds:
        [(kind, part)] = each.items()
        before = number
        speeches += kind in _SPEECHES
        if kind in _SPEECHES:
            for place, speech in sorted(part["speeches"].items()):
                yield LoggedTurn(
                    agent=f"Debater {LETTERS[int(place)]}",
                    text=_write(speech["content"], tokens),
                    round=speeches,
                    step="argue",
                    reads=tuple(range(1, 1 + (before if kind.startswith("Sim") else number))),
                    answer=setup.letter(int(place)),
                    votes=False,
                )
                number += 1
        elif kind == "JudgeFeedback":
            yield _judge(
                "Judge", part, setup, tokens, max(speeches, 1), tuple(range(1, number + 1))
            )
            number += 1
        elif kind == "OfflineJudgments":
            for place, judged in enumerate(part["judgments"].values(), 1):
                for belief in judged["judgments"]:
                    yield _judge(f"Offline judge {place}", belief, setup, tokens, 0, None)
                    number += 1


def _judge(
    agent: str,
    belief: Mapping[str, Any],
    setup: _Setup,
    tokens: Sequence[str],
    place: int,
    reads: tuple[int, ...] | None,
) -> LoggedTurn:
    chances = {setup.letter(at): chance for at, chance in enumerate(belief["distribution"])}
    return LoggedTurn(
        agent=agent,
        text=_write(belief["feedback"]["content"], tokens),
        round=place,
        step="judge" if belief["endDebate"] else "question",
        reads=reads,
        answer=_find_answer(belief["distribution"], setup),
        votes=False,
        reading={"kind": "standings", "scores": dict(sorted(chances.items()))},
    )


def _write(content: Sequence[Mapping[str, Any]], tokens: Sequence[str]) -> str:
    """Return a speech with its quotations in tags, in the words of the source text."""
    words = []
    for part in content:
        if "Text" in part:
            words.append(part["Text"]["text"])
        else:
            begin, end = part["Quote"]["span"]
            words.append(f"<quote>{' '.join(tokens[begin:end])}</quote>")
    return "".join(words)


def _find_answer(chances: Sequence[float], setup: _Setup) -> str | None:
    """Return the answer in which a judge believes most; None for a tie."""
    best = max(chances)
    return setup.letter([*chances].index(best)) if [*chances].count(best) == 1 else None


def _find_verdict(
    hearing: _Hearing, row: _Row, turns: Sequence[LoggedTurn]
) -> LoggedVerdict | None:
    """Return the judge's last belief as the verdict; None where no judge ended the hearing."""
    beliefs = [each["JudgeFeedback"] for each in hearing.rounds if "JudgeFeedback" in each]
    ended = bool(beliefs) and (beliefs[-1]["endDebate"] or bool(row.judged))
    if not ended:
        return None
    chances = row.judged.get("finalJudgement") or beliefs[-1]["distribution"]
    number = max(n for n, turn in enumerate(turns, 1) if turn.agent == "Judge")
    return LoggedVerdict(
        answer=_find_answer(chances, hearing.setup),
        by="judge",
        turn=number,
        correct=chances[hearing.setup.correct_answer_index] > 0.5,
    )


def _explain_end(row: _Row) -> str:
    if row.status in {"", "Complete"}:
        return "ended without the decision of a judge"
    return f"not finished ({row.status})"


def _list_labels(row: _Row) -> dict[str, Any]:
    kept = {"judgeReward": "judge_reward", "numContinues": "continues"}
    return {name: row.judged[key] for key, name in kept.items() if key in row.judged}
