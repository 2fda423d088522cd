"""Ballots: how an agent votes over answers that stand under labels."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.json_fields import load_json, object_schema, split_words
from moot.parsing.parser import HeardAnswers, Parsed, parser
from moot.parsing.plain_text import make_plain
from moot.parsing.same import answer_value

N = TypeVar("N", int, float)


class Ballot(Reading, frozen=True, kw_only=True):
    """A vote in several forms. What a reply does not say is empty.

    Attributes:
        vote: the one answer that it is for; None without one.
        ranking: answers, the best first.
        approved: the answers that are good enough.
        points: points by answer, each a whole number from 0.
        scores: marks by answer, each from 0 to 10.
        labels: the answer that stood under each label.

    A ballot that is for whole replies has the names of their agents in place of answers: no two
    replies are then taken for one.
    """

    vote: str | None = None
    ranking: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    points: dict[str, int] = msgspec.field(default_factory=dict)
    scores: dict[str, float] = msgspec.field(default_factory=dict)
    labels: dict[str, str] = msgspec.field(default_factory=dict)


FORMS = ("vote", "ranking", "approved", "points", "scores")
"""The keys of a ballot."""
TOP = 10
"""The highest mark of a score."""
MOST = 1_000_000
"""No number of a ballot is greater."""


def ballot_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a ballot with all forms."""
    several = {"type": "array", "items": {"type": "string"}}
    return object_schema(
        {
            "vote": {"type": "string"},
            "ranking": several,
            "approved": several,
            "points": {"type": "object", "additionalProperties": {"type": "integer"}},
            "scores": {"type": "object", "additionalProperties": {"type": "number"}},
        }
    )


def name_labels(schema: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a ballot with some forms and its labels; any other schema as it is.

    Args:
        schema: of a reply.
        names: the forms that are asked for, and the labels that stand in the prompt.
    """
    if not schema.get("properties", {}).keys() >= {*FORMS}:
        return schema
    labels = [name for name in names if name not in FORMS]
    label = {"type": "string", "enum": labels}
    several = {"type": "array", "items": label}
    forms = {
        "vote": label,
        "ranking": several,
        "approved": several,
        "points": object_schema({each: {"type": "integer"} for each in labels}),
        "scores": object_schema({each: {"type": "number"} for each in labels}),
    }
    return object_schema({form: forms[form] for form in FORMS if form in names})


@parser(reading=Ballot, schema=ballot_schema)
def parse_ballot(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read a ballot in JSON, or lines such as "Vote: B" and "Ranking: B, A".

    What is voted on may be named by its label or by the answer under it. What did not stand in the
    prompt does not count. A ranking that names a label twice counts the first place. A reply
    without any of this votes for its final answer, where that stood in the prompt and no other one
    does so in the reply. The reply's answer is that of its vote.
    """
    labels = {label: answer for label, answer in (heard or {}).items() if answer is not None}
    shown = _Shown(labels, question)
    loaded = load_json(text, _OBJECT, finished=finished)
    fields: dict[str, Any] = {}
    if isinstance(loaded, dict):
        fields = {next(iter(split_words(str(key)) & {*FORMS}), ""): loaded[key] for key in loaded}
        fields.pop("", None)
    fields = fields or _read_lines(text, shown, finished=finished)
    vote = shown.find(fields.get("vote"))
    if not fields:
        vote = _find_final(text, shown, question, finished=finished)
    points = shown.read_marks(fields.get("points"))
    whole = all(each >= 0 and each == int(each) for each in points.values())
    ballot = Ballot(
        vote=vote,
        ranking=shown.read_ranking(fields.get("ranking")),
        approved=shown.read_approved(fields.get("approved")),
        points={answer: int(each) for answer, each in points.items()} if whole else {},
        scores={
            answer: each
            for answer, each in shown.read_marks(fields.get("scores")).items()
            if 0 <= each <= TOP
        },
        labels=labels,
    )
    stated = ballot != Ballot(labels=labels)
    return Parsed(ballot.vote, ballot if stated else None)


def replace_agents(ballot: Ballot, answers: Mapping[str, str | None]) -> Ballot:
    """Return a ballot that is for agents, as in a council, as one for the answers that they gave.

    An agent without an answer is left out. Of several with one answer the first in a ranking counts
    and of marks and points the highest.

    Args:
        ballot: one for answers is returned as it is.
        answers: by agent.
    """
    if not answers.keys() & {*ballot.labels.values()}:
        return ballot

    def list_answers(agents: Iterable[str]) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(answer for each in agents if (answer := answers.get(each)) is not None)
        )

    def keep_highest(marks: Mapping[str, N]) -> dict[str, N]:
        kept: dict[str, N] = {}
        for agent, mark in marks.items():
            if (answer := answers.get(agent)) is not None:
                kept[answer] = max(mark, kept.get(answer, mark))
        return kept

    return Ballot(
        vote=answers.get(ballot.vote) if ballot.vote is not None else None,
        ranking=list_answers(ballot.ranking),
        approved=list_answers(ballot.approved),
        points=keep_highest(ballot.points),
        scores=keep_highest(ballot.scores),
        labels={
            label: answer
            for label, agent in ballot.labels.items()
            if (answer := answers.get(agent)) is not None
        },
    )


_OBJECT = re.compile(r"\{")
_LINE = re.compile(
    r"^[-#>*\"' ]{0,6}(?:(?:my|final|the|i) ){0,3}(vote[ds]?|ranking|approved|points|scores)\b"
    r"(?: (?:is|for|goes to)){0,2}[\"'*]{0,3}[ :=]{1,3}(.{1,200})$",
    re.IGNORECASE | re.MULTILINE,
)
_VOTED = re.compile(r"[.!?] (?:voted?|my vote)(?: is| for)?: ?(\S.{0,60})$", re.IGNORECASE)
_FINAL = re.compile(r"\bfinal answer ?[:=] ?(\S.{0,60})$", re.IGNORECASE | re.MULTILINE)
_MOST_LINES = 1_000
_LISTED = re.compile(r"^(\w{1,2}) ?:", re.MULTILINE)
_MARK = re.compile(r"([\w ]{1,30}?)[\"')\]]{0,2} ?[:=(] ?(\d+(?:\.\d+)?)(?![\w.])")
_PLAIN_NUMBER = re.compile(r"[-+]?(?:\d{1,60}(?:[./]\d{1,60})?|\.\d{1,60})")
_NOUNS = {"answer", "option", "response", "candidate", "solution", "label", "agent"}


class _Shown:
    """What stood in the prompt, by its labels.

    Args:
        labels: the answer under each label.
        question: the question.
    """

    def __init__(self, labels: Mapping[str, str], question: Question) -> None:
        self.kind = question.kind
        self.by_value = {answer_value(answer, self.kind): answer for answer in labels.values()}
        self.by_label = {_fold(label): answer for label, answer in labels.items()}

    def find(self, named: object) -> str | None:
        """Return the answer that a label, or its own words, names; None for anything else."""
        if isinstance(named, bool) or not isinstance(named, str | int | float):
            return None
        words = str(named)
        if (found := self.by_label.get(_fold(words))) is not None:
            return found
        words = words.strip(" \"'`()[].*")
        if (found := self._find_value(words)) is not None:
            return found
        first, _, rest = words.partition(" ")  # "B (45)", "B: 45"
        of_label = self.by_label.get(_fold(first))
        return of_label if of_label is not None and self.find_exact(rest) == of_label else None

    def find_exact(self, words: str) -> str | None:
        """Return the answer of which these are the words."""
        return self._find_value(words.strip(" \"'`()[].:-*"))

    def _find_value(self, words: str) -> str | None:
        """Return the answer of this value; a number is looked for only where it stands plainly."""
        if self.kind == "number" and not _PLAIN_NUMBER.fullmatch(words):
            return None  # 1e999999999 would take all memory
        return self.by_value.get(answer_value(words, self.kind))

    def list_answers(self, named: Iterable[object]) -> tuple[str, ...]:
        """Return the answers that are named, each once."""
        found = (self.find(each) for each in named)
        return tuple(dict.fromkeys(each for each in found if each is not None))

    def read_ranking(self, value: object) -> tuple[str, ...]:
        """Return the answers of a list of labels, or of labels with their places."""
        if isinstance(value, dict):
            places = self.read_marks(value)
            return tuple(sorted(places, key=places.__getitem__))
        return self.list_answers(_split(value))

    def read_approved(self, value: object) -> tuple[str, ...]:
        """Return the answers of a list of labels, or of labels that are true."""
        if isinstance(value, dict):
            value = [label for label, good in value.items() if good is True]
        return self.list_answers(_split(value))

    def read_marks(self, value: object) -> dict[str, float]:
        """Return the numbers of an object by the answers of its labels."""
        found: dict[str, float] = {}
        for label, number in value.items() if isinstance(value, dict) else ():
            answer = self.find(label)
            if answer is not None and (mark := _number(number)) is not None:
                found.setdefault(answer, mark)
        return found


def _fold(label: str) -> str:
    """Return a label without case, signs, and the noun before it."""
    words = re.findall(r"\w+", label.casefold())
    return " ".join(words[1:] if len(words) > 1 and words[0] in _NOUNS else words)


def _split(value: object) -> list[Any]:
    """Return the items of a list, or of a text with commas."""
    if isinstance(value, str):
        return re.split(r"[,>;]", value)
    return value if isinstance(value, list) else []


def _number(value: object) -> float | None:
    """Return a finite number, also of a text that is one."""
    if isinstance(value, str):
        value = float(value) if re.fullmatch(r"\s*\d{1,6}(?:\.\d{1,6})?\s*", value) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MOST:
        return None
    return float(value)


def _read_lines(text: str, shown: _Shown, *, finished: bool) -> dict[str, Any]:
    """Return the forms that lines such as "Vote: B" state, the last one of each form."""
    plain = make_plain(text)
    if not finished:
        plain = plain.rpartition("\n")[0]
    fields: dict[str, Any] = {}
    for form, said in _LINE.findall(plain):
        name = form.casefold()
        if name.startswith("vote"):
            fields |= {"vote": said} if shown.find(said) is not None else {}
        elif name in {"points", "scores"}:
            fields |= {name: dict(_MARK.findall(said))}
        else:
            fields[name] = said.strip("[] ")
    voted = _VOTED.search(plain.rstrip())
    if voted and "vote" not in fields and shown.find(voted[1]) is not None:
        fields["vote"] = voted[1]
    return {name: said for name, said in fields.items() if said}


def _find_final(text: str, shown: _Shown, question: Question, *, finished: bool) -> str | None:
    """Return the answer to which a reply commits, where it is one of those shown, and alone.

    A reply that goes through what it was shown, label by label, commits to none of it. Of a very
    long reply the last lines are searched.
    """
    plain = make_plain(text)
    if any(_fold(label) in shown.by_label for label in _LISTED.findall(plain)):
        return None
    named = {shown.find(each) for each in {*_FINAL.findall(plain)}}
    lines = {*plain.splitlines()[-_MOST_LINES:]}
    stated = {shown.find_exact(extract(line, question) or "") for line in lines}
    candidates = (named | stated) - {None}
    if len(candidates) != 1:
        return None
    [only] = candidates
    final = extract(plain, question, finished)
    committed = final is not None and shown.find_exact(final) == only
    return only if committed or only in named else None
