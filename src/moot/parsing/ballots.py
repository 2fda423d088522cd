"""Ballots read: in JSON, or in lines, lists, tables and sentences."""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from moot.core.questions import WITHHELD, Question
from moot.parsing.ballot import FORMS, TOP, Ballot, ballot_schema, name_labels
from moot.parsing.ballot_text import BallotText
from moot.parsing.ballot_words import FORM_WORDS
from moot.parsing.extract import extract
from moot.parsing.json_fields import load_json, split_words
from moot.parsing.parser import HeardAnswers, Parsed, parser
from moot.parsing.plain_text import drop_middle, make_plain
from moot.parsing.same import answer_value

MOST = 1_000_000
"""No number of a ballot is greater."""


def _has_form(ballot: Ballot, settings: Mapping[str, Any]) -> bool:
    """Return whether a ballot has a vote or, where answers get scores, one in range for each."""
    if "top" not in settings:
        return ballot.vote is not None
    if WITHHELD in ballot.labels.values():  # of a secret question
        return bool(ballot.scores)
    marks = [ballot.scores.get(each) for each in ballot.labels.values()]
    return bool(marks) and all(mark is not None and 1 <= mark <= settings["top"] for mark in marks)


@parser(reading=Ballot, schema=ballot_schema, keyed=name_labels, gives="ballot", counts=_has_form)
def parse_ballot(
    text: str,
    question: Question,
    finished: bool,
    heard: HeardAnswers,
    *,
    keys: tuple[str, ...] = (),
) -> Parsed:
    """Read a ballot in JSON, or in lines, lists, tables and sentences such as "I vote for B".

    What is voted on may be named by its label or by the answer under it. What did not stand in the
    prompt does not count. A ranking that names a label twice counts the first place, and one with a
    tie counts up to it. Of several ballots in a reply the last counts, form by form. A reply
    without any of this votes for its final answer, where that stood in the prompt and no other one
    does so in the reply. The reply's answer is that of its vote. Where one form alone was asked
    for, a list, numbers or marks without a name are of that form.
    """
    asked = [form for form in FORMS if form in keys]
    only = asked[0] if len(asked) == 1 else ""
    labels = {label: answer for label, answer in (heard or {}).items() if answer is not None}
    shown = _Shown(labels, question)
    said = shown.read_forms(_load_forms(text, only, finished=finished))
    if not said:
        plain = make_plain(_BOX.sub(_say_box, text.translate(_TICKS)))
        plain = plain if finished else plain.rpartition("\n")[0]
        said = BallotText(plain, shown.find, shown.names, only).read()
    if not said:
        said = {"vote": _find_final(text, shown, question, finished=finished)}
    points, scores = said.get("points", {}), said.get("scores", {})
    whole = all(each >= 0 and each == int(each) for each in points.values())
    ballot = Ballot(
        vote=said.get("vote"),
        ranking=tuple(dict.fromkeys(said.get("ranking", ()))),
        approved=tuple(dict.fromkeys(said.get("approved", ()))),
        points={answer: int(each) for answer, each in points.items()} if whole else {},
        scores={answer: each for answer, each in scores.items() if 0 <= each <= TOP},
        labels=labels,
    )
    stated = ballot != Ballot(labels=labels)
    return Parsed(ballot.vote, ballot if stated else None)


_OBJECT = re.compile(r"\{")
_FINAL = re.compile(r"\bfinal answer ?[:=] ?(\S.{0,60})$", re.IGNORECASE | re.MULTILINE)
_MOST_LINES = 1_000
_LISTED = re.compile(r"^(\w{1,2}) ?:", re.MULTILINE)
_MARK = re.compile(r"([\w ]{1,30}?)[\"')\]]{0,2} ?[:=(] ?(\d+(?:\.\d+)?)(?![\w.])")
_PLAIN_MARK = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)(?:/10)?\s*")
_TIED = re.compile(r"[=~≈]")
_TICKS = dict.fromkeys(map(ord, "✅✔☑✓"), " yes ") | dict.fromkeys(map(ord, "✗✘❌✕❎"), " no ")
_LIST = re.compile(r"\[")
_BOX = re.compile(r"^([ \t]{0,12}(?:[-*+][ \t]{1,4})?)\[([ xX])\]", re.MULTILINE)
_BRACE = re.compile(r"[{}]")
_LONGEST_NAME = 80
"""Characters of an answer beyond which it is looked for as a whole alone."""
_DEEPEST = 3
"""Objects with one value, one in the other, in which a ballot is looked for."""
_PLAIN_NUMBER = re.compile(r"[-+]?(?:\d{1,60}(?:[./]\d{1,60})?|\.\d{1,60})")
_NOUNS = {"answer", "option", "response", "candidate", "solution", "label", "agent"}


class _Shown:
    """What stood in the prompt, by its labels.

    Args:
        labels: the answer under each label.
        question: the question.
    """

    def __init__(self, labels: Mapping[str, str], question: Question) -> None:
        self.kind, self.labels = question.kind, labels
        self.texts = dict(zip(question.letters, question.choices, strict=False))
        self.by_value = {answer_value(answer, self.kind): answer for answer in labels.values()}
        self.by_label = {_fold(label): answer for label, answer in labels.items()}

    def find(self, named: object) -> str | None:
        """Return the answer that a label, or its own words, names; None for anything else."""
        if isinstance(named, bool) and self.kind == "boolean":
            named = str(named).casefold()
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

    @property
    def names(self) -> dict[str, str]:
        """The answer of each label, and of each word or letter that names an answer by itself."""
        found = dict(self.labels)
        for answer in self.labels.values():
            if self.kind == "choice":
                found.setdefault(answer, answer)
                found.setdefault(self.texts.get(answer, answer), answer)
            elif self.kind == "text" and 2 < len(answer) <= _LONGEST_NAME:
                found.setdefault(answer.removeprefix("The ").removeprefix("the "), answer)
        return found

    def read_forms(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the forms of a ballot in JSON, with answers in place of what names them."""
        read = {
            "vote": self.find_first,
            "ranking": self.read_ranking,
            "approved": self.read_approved,
            "points": self.read_marks,
            "scores": self.read_marks,
        }
        return {form: read[form](value) for form, value in fields.items()}

    def find_first(self, value: object) -> str | None:
        """Return the answer that a value names, or the first field of an object that names one."""
        named = value.values() if isinstance(value, dict) else (value,)
        return next((found for each in named if (found := self.find(each)) is not None), None)

    def read_ranking(self, value: object) -> list[str]:
        """Return the answers of a list of labels, or of labels with their places.

        It ends before the first answers that share a place.
        """
        if isinstance(value, dict):
            places = self.read_marks(value)
            taken = Counter(places.values())
            groups: list[Any] = sorted(places, key=places.__getitem__)
            return [*takewhile(lambda answer: taken[places[answer]] == 1, groups)]
        ranked = []
        for item in _split(value):
            tied = isinstance(item, list) and len(item) > 1
            if tied or (isinstance(item, str) and _TIED.search(item)):
                break
            ranked.append(self.find_first(item[0] if isinstance(item, list) and item else item))
        return [each for each in ranked if each is not None]

    def read_approved(self, value: object) -> list[str]:
        """Return the answers of a list of labels, or of labels that are true."""
        if isinstance(value, dict):
            value = [label for label, good in value.items() if good is True]
        found = (self.find_first(each) for each in _split(value))
        return [each for each in found if each is not None]

    def read_marks(self, value: object) -> dict[str, float]:
        """Return the numbers of an object by the answers of its labels.

        They may also stand in a text, ``"A: 3, B: 7"``, or in a list of objects.
        """
        if isinstance(value, str):
            value = dict(_MARK.findall(value))
        pairs = list(value.items()) if isinstance(value, dict) else []
        for each in value if isinstance(value, list) else ():
            if isinstance(each, dict) and len(each) > 1:
                label, number, *_ = each.values()
                pairs.append((label, number))
        found: dict[str, float] = {}
        for label, number in pairs:
            answer = self.find(label)
            if isinstance(number, dict):
                number = next(iter(number.values()), None)  # noqa: PLW2901 -- the number in it
            if answer is not None and (mark := _number(number)) is not None:
                found.setdefault(answer, mark)
        return found


def _load_forms(text: str, only: str, *, finished: bool) -> dict[str, Any]:
    """Return the forms of the JSON objects in a reply; of one that stands in several the last.

    Args:
        text: the reply.
        only: the form that JSON without a form's name is; empty where several were asked for.
        finished: False if the reply was cut off.
    """
    shown = drop_middle(text)
    if only and shown.lstrip("` \njson")[:1] == "[":
        return {only: load_json(shown, _LIST, finished=finished)}
    spans = _find_objects(shown)
    parts = [shown[start:end] for start, end in spans] if len(spans) > 1 else [shown]
    fields: dict[str, Any] = {}
    for part in parts:
        loaded = load_json(part, _OBJECT, finished=finished or len(parts) > 1)
        for _ in range(_DEEPEST):
            if not isinstance(loaded, dict) or any(map(_find_form, loaded)) or len(loaded) != 1:
                break
            [loaded] = loaded.values()
        if isinstance(loaded, dict):
            named = {form: loaded[key] for key in loaded if (form := _find_form(key))}
            fields |= named or ({only: loaded} if only not in {"", "vote"} and loaded else {})
    return fields


def _say_box(box: re.Match[str]) -> str:
    """Return a box of a list to be ticked as a word."""
    return f"{box[1]}{'no' if box[2] == ' ' else 'yes'}"


def _find_form(key: object) -> str:
    """Return the form that a key means; empty for none."""
    forms = {FORM_WORDS.get(word) for word in split_words(str(key))}
    return next((form for form in FORMS if form in forms), "")


def _find_objects(text: str) -> list[tuple[int, int]]:
    """Return where the outermost pairs of braces begin and end."""
    found, depth, start = [], 0, 0
    for sign in _BRACE.finditer(text):
        depth = max(0, depth + (1 if sign[0] == "{" else -1))
        if sign[0] == "{" and depth == 1:
            start = sign.start()
        elif sign[0] == "}" and depth == 0:
            found.append((start, sign.end()))
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
        plain = _PLAIN_MARK.fullmatch(value)
        value = float(plain[1]) if plain else None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MOST:
        return None
    return float(value)


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
