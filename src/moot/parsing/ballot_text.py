"""Ballots in words: the forms that headings, lists, tables and sentences of a reply state."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from moot.parsing.ballot_words import FORM_WORDS, HEADING, NOUN, PAIRS, TAG

Find = Callable[[object], str | None]
"""From what is named, by its label or its own words, to the answer; None for anything else."""

_NUMBERED = re.compile(
    r"^[-*• ]{0,3}(?:(?:rank|place|no\.?|#) ?)?(\d{1,2})(?:st|nd|rd|th)?(?: (?:place|choice))?"
    r"[.):]+ (.+)$|^#(\d{1,2}) (.+)$"
    r"|^[-*• ]{0,3}(best|first|second|third|fourth|fifth|last|worst)(?: (?:place|choice))?: (.+)$",
    re.IGNORECASE,
)
_ORDINALS = {"best": 1, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_ORDERED = re.compile(r"[>≻≽,;]|\bthen\b|\bfollowed by\b|\band\b")
_IN_LINE = re.compile(r"(?:^|[ ,;])\d{1,2}[.)] ?")
_TIED_WORD = re.compile(r"\btie[sd]?\b|\bequal\b|\bsame place\b", re.IGNORECASE)
_EXCEPT = re.compile(r",? (?:but )?not\b|,? except\b", re.IGNORECASE)
_ALL = re.compile(r"\W*(?:all|every|each)\b", re.IGNORECASE)
_ACCEPTED = re.compile(
    r"\bI (?:would |could |can |do |only ){0,2}(?:approve|accept)(?: of)?(?: only)? ([^.\n]{1,80})"
    r"|([^.\n]{1,80}?) (?:is|are) (?:all |both )?(?:acceptable|approved|good enough)\b",
    re.IGNORECASE,
)
_TIED = re.compile(r"[=~≈]|\btie[sd]?\b")
_NUMBER = r"(\d{1,6}(?:\.\d{1,3})?|nothing|zero|none)(?P<top>/10\b| out of 10\b)?(?![\w%]|\.\d|/\d)"
_YES = re.compile(r"^\W*(?:yes|approved?|accept(?:ed|able)?|ok|good|true|[✓✔✅☑])", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|not|reject(?:ed)?|bad|false|wrong|[✗✘❌✕])", re.IGNORECASE)
_VOTES = re.compile(
    r"(?:\bi(?:'d|'ll| would| will)? (?:now |still |therefore |finally )?"
    r"(?:vote|choose|pick|select|go|opt)(?: (?:for|with))?"
    r"|\bmy (?:final |new )?(?:vote|choice|pick)(?: now)?(?: (?:is|goes|would be))?(?: (?:to|for))?"
    r"|\b(?:the )?(?:best|correct|right) (?:answer|option|response|choice|one)(?: is)?"
    r"|\b(?:the|my) (?:final )?answer(?: for [\w ]{1,30})? is [\"']?"
    r"|\bit (?:would|must|has to) be|\bi(?:'d| would) say|\bi (?:agree with|support|prefer|favou?r)"
    r"|\bthe winner is|\b(?:that|which) leaves|\b(?:голосую за|выбираю)"
    r"|\bich (?:stimme für|wähle|stimme)|\bmeine stimme (?:geht an|ist für|ist|gilt)"
    r"|\bvoto (?:por|per)|\bje (?:vote pour|choisis)"
    r"|\b(?:mi|il mio) voto (?:es para|va para|es|va a|è per|è)"
    r"|(?<=[.!?:] )(?:voted?|my vote)(?: is| for)?(?=:)"
    r"|投票给|一票给|我选择?)(?: ?:)? ?(?:(?:the|la|die) )?",
    re.IGNORECASE,
)
_HELD = re.compile(
    r" is (?:the |clearly |therefore )?(?:correct|right|best)\b(?!,? (?:then|followed))"
    r"| (?:gets|has|wins|earns|deserves|receives) my (?:vote|support)\b",
    re.IGNORECASE,
)
_FIRST_NUMBER = re.compile(r"\d{1,9}(?![\w%/]|\.\d)")
_PLACED = re.compile(r"\bfollowed by\b|\b(?:second|third|last|then)\b", re.IGNORECASE)
_OR = re.compile(r" ?(?:/|,|\bor\b|\boder\b|\bou\b) ?")
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|wrong|incorrect|tied?|worse|worst|mistakes?)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_SHORT = 600
"""Characters of a reply whose last clause may be its vote."""
_CELL = re.compile(r"\D{0,2}(\d{1,6}(?:\.\d{1,3})?)(?:/10)?(?:st|nd|rd|th)?")
_PLACES = frozenset(("#", "no.", "place", "position", "rank", "order"))
"""Heads of a table's column with the places of a ranking."""
_BARE_RULE = re.compile(r":?-{3,}:? ?(?:\| ?:?-{3,}:? ?)+")
"""The line below the heads of a table whose rows do not begin with a bar."""
_LONGEST_LINE = 1_000
_MOST_LINES = 400


class _Section(NamedTuple):
    """What stands below or beside a heading."""

    form: str
    lines: list[str]
    reverse: bool
    at: int


class BallotText:
    """A reply that is no JSON, as far as it states the forms of a ballot.

    Args:
        text: without its dressing.
        find: the answer that a label or words name.
        names: labels, and words that name an answer, with the answer of each.
        only: the form that a list or numbers without a name are; empty where several may be.
    """

    def __init__(self, text: str, find: Find, names: Mapping[str, str], only: str = "") -> None:
        marked = TAG.sub(lambda tag: "\n" if tag[1] else f"\n{tag[2]}: ", text)
        marked = PAIRS.sub("\n", marked)
        self.only = only
        self.lines = [line.strip()[:_LONGEST_LINE] for line in marked.splitlines()[-_MOST_LINES:]]
        self.find, self.names = find, list(names.values())
        own = "|".join(map(_name_pattern, names))
        self.named = re.compile(own or r"(?!)")
        label = rf"(?:{self.named.pattern})"
        self.own_marks = re.compile(
            rf"{label}[\"')\]]{{0,2}}"
            rf"(?: ?(?:[:=(|-]>?|gets|receives|deserves|scores?|is worth|an?)){{0,2}} ?{_NUMBER}"
        )
        self.given_marks = re.compile(
            rf"(\d{{1,6}})(?: points?)?(?: go| goes)? (?:to|for) (?:{NOUN} )?{label}"
        )

    def read(self) -> dict[str, Any]:
        """Return the forms that the reply states; of one that it states again the last."""
        fields, below = self._read_tables(), 0
        for section in self._split():
            if (said := self._read_section(section)) is not None:
                fields[section.form] = said
                below = section.at + 1 if section.form == "vote" else below
        words = "\n".join(self.lines[below:])
        vote = self._find_vote(words)
        if vote is None and not below and self.only in {"", "vote"}:
            vote = self._find_held(words) or self._find_alone(words.strip())
            vote = vote or (self._find_last(words) if self.only else None)
        if vote is not None:
            fields["vote"] = vote
        if "ranking" not in fields and (ranked := self._rank_in_sentence(words)):
            fields["ranking"] = ranked
        if self.only not in {"", "vote", *fields}:
            lines = [line for line in self.lines if line]
            said = self._read_section(_Section(self.only, lines, reverse=False, at=0))
            fields |= {self.only: said} if said else {}
        return fields or self._read_bare()

    def _split(self) -> Iterator[_Section]:
        """Yield the sections of the reply, each with the lines below its heading."""
        section: _Section | None = None
        for at, line in enumerate(self.lines):
            head = HEADING.match(line)
            rest = head and (head["rest"] or head["more"] or "").strip(" |*")
            if head and (rest or line.endswith((":", head["form"] or ":"))):
                if section is not None:
                    yield section
                form = FORM_WORDS[head["form"].casefold()] if head["form"] else "ranking"
                section = _Section(form, [rest] if rest else [], bool(head["worst"]), at)
                if rest:
                    yield section
                    section = None
            elif section is not None and (line or not section.lines):
                section.lines.extend([line] if line else [])
            elif section is not None:
                yield section
                section = None
        if section is not None:
            yield section

    def _read_section(self, section: _Section) -> Any:  # noqa: ANN401 -- as the fields of JSON
        """Return what a section states, as a field of JSON would; None for nothing."""
        lines = section.lines
        match section.form:
            case "vote":
                return self._find_only(lines[0]) if lines else None
            case "ranking":
                ranked = self._rank(lines)
                return ranked[::-1] if ranked and section.reverse else ranked
            case "approved":
                return self._list_approved(lines)
            case _:
                return self._mark("\n".join(lines)) or None

    def _find_only(self, words: str) -> str | None:
        """Return the one answer that these words name; None for none or for several."""
        if (found := self.find(words.rstrip(". "))) is not None:
            return found
        named = {answer for _, _, answer in self._list_named(words)}
        return named.pop() if len(named) == 1 and len(words) <= 80 else None

    def _list_named(self, words: str) -> list[tuple[int, int, str]]:
        """Return where answers are named, and which."""
        return [
            (found.start(), found.end(), self.names[(found.lastindex or 1) - 1])
            for found in self.named.finditer(words)
        ]

    def _rank(self, lines: Sequence[str]) -> list[str] | None:
        """Return answers in their order, up to the first tie; None where these lines have none."""
        numbered = [each for line in lines if (each := _NUMBERED.match(line))]
        if len(numbered) > 1:
            items = [each[2] or each[4] or each[6] for each in numbered]
        elif len(lines) == 1 and len(parts := _IN_LINE.split(lines[0])) > 2:
            items = parts[1:]
        elif len(lines) == 1:
            line = lines[0].strip("[]{} .")
            tied = _TIED_WORD.search(line)
            clause = max(map(line[: tied.start()].rfind, ";,.")) if tied else len(line)
            items = _ORDERED.split(line[: max(0, clause)])
        else:
            items = [line.lstrip("-*• ") for line in lines]
        ranked: list[str] = []
        for item in items:
            if _TIED.search(item):
                break
            if (answer := self._find_only(item.strip())) is not None:
                ranked.append(answer)
        return ranked or None

    def _list_approved(self, lines: Sequence[str]) -> list[str] | None:
        """Return the answers that are approved of."""
        judged = self._judge(lines)
        if judged:
            return judged
        words = _EXCEPT.split("\n".join(lines).partition(". ")[0])[0]
        if _ALL.match(words):
            return list(dict.fromkeys(self.names))
        items = re.split(r"[,;&\n]|\band\b", words.strip("[]{} ."))
        found = [self._find_only(item.strip(" -*•")) for item in items]
        return [each for each in found if each is not None] or None

    def _judge(self, lines: Sequence[str]) -> list[str]:
        """Return the answers beside which a yes stands, where each has a yes or a no."""
        found, judged = [], 0
        parts = [
            part for line in lines for part in (line.split(",") if len(lines) == 1 else [line])
        ]
        for part in parts:
            named = self._list_named(part)
            if len(named) != 1:
                continue
            start, end, answer = named[0]
            sides = part[end:].lstrip(" :=-|("), part[:start]
            if any(map(_YES.match, sides)):
                found.append(answer)
            judged += any(map(_YES.match, sides)) or any(map(_NO.match, sides))
        return found if judged > 1 else []

    def _mark(self, words: str) -> dict[str, float]:
        """Return the numbers that stand beside labels."""
        marks: dict[str, float] = {}
        for found in self.own_marks.finditer(words):
            answer, number = self._split_mark(found)
            marks.setdefault(answer, _read_number(number))
        for found in () if marks else self.given_marks.finditer(words):
            marks.setdefault(self.names[(found.lastindex or 2) - 2], float(found[1]))
        return marks

    def _split_mark(self, found: re.Match[str]) -> tuple[str, str]:
        """Return the answer and the number of a match of ``own_marks``."""
        many = len(self.names)
        place = next(place for place in range(1, many + 1) if found[place] is not None)
        return self.names[place - 1], found[many + 1]

    def _read_tables(self) -> dict[str, Any]:
        """Return what tables state with a label in each row, or at the head of each column."""
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in self._list_rows()]
        rows = [row for row in rows if len(row) > 1 and not set("".join(row)) <= set("-: ")]
        if len(rows) < 2:
            return {}
        rows = self._put_labels_first(rows)
        heads = [self.find(cell) for cell in rows[0]]
        if self.only in {"points", "scores"} and None not in heads:
            return {self.only: self._mark(" ".join(map(": ".join, zip(*rows[:2], strict=False))))}
        if all(self.find(row[0]) is None for row in rows[1:]):
            rows = [list(column) for column in zip(*rows, strict=False)]
        fields: dict[str, Any] = {}
        for place, head in enumerate(rows[0][1:], 1):
            title = head.casefold().partition("(")[0].strip()
            form = "ranking" if title in _PLACES else FORM_WORDS.get(title, "")
            cells = {
                answer: row[place]
                for row in rows[1:]
                if len(row) > place and (answer := self.find(row[0])) is not None
            }
            if form == "approved":
                fields[form] = [answer for answer, cell in cells.items() if _YES.match(cell)]
            elif form in {"ranking", "points", "scores"}:
                found = {answer: _CELL.fullmatch(cell) for answer, cell in cells.items()}
                marks = {answer: float(each[1]) for answer, each in found.items() if each}
                ranked = form == "ranking"
                fields[form] = sorted(marks, key=marks.__getitem__) if ranked else marks
        return fields

    def _list_rows(self) -> list[str]:
        """Return the lines of tables: with bars before them, or around a rule without."""
        rule = next((at for at, line in enumerate(self.lines) if _BARE_RULE.fullmatch(line)), 0)
        if not rule:
            return [line for line in self.lines if line[:1] == "|"]
        return [*takewhile(lambda line: "|" in line, self.lines[rule - 1 :])]

    def _put_labels_first(self, rows: list[list[str]]) -> list[list[str]]:
        """Return a table with its labels first, where they stand behind a column of places."""
        title = rows[0][0].casefold()
        if title not in _PLACES and FORM_WORDS.get(title) != "ranking":
            return rows
        width = min(map(len, rows))
        named = [
            at for at in range(1, width) if all(self.find(row[at]) is not None for row in rows[1:])
        ]
        if not named:
            return rows
        at = named[0]
        return [[row[at], *row[:at], *row[at + 1 :]] for row in rows]

    def _find_vote(self, words: str) -> str | None:
        """Return the answer that the last sentence with a vote is for."""
        voted: str | None = None
        for lead in _VOTES.finditer(words):
            named = self.named.match(words, lead.end())
            if named and not self._goes_on(words, named.end()):
                voted = self.names[(named.lastindex or 1) - 1]
            elif not named and (number := _FIRST_NUMBER.match(words, lead.end())):
                voted = self.find(number[0]) or voted
        return voted

    def _find_held(self, words: str) -> str | None:
        """Return the one answer that is said to be right."""
        held = {answer for _, end, answer in self._list_named(words) if _HELD.match(words, end)}
        return held.pop() if len(held) == 1 else None

    def _find_last(self, words: str) -> str | None:
        """Return the answer that the last clause of a short reply names, where it denies none.

        It counts where a vote was all that was asked for.
        """
        clause = re.split(r"[.!?\n;]", words.strip().rstrip(".!? "))[-1]
        named = self._list_named(clause)
        if len({answer for _, _, answer in named}) != 1:  # "A and B are wrong, so D it is"
            clause = re.split(r",|\bbut\b|\bwhereas\b", clause)[-1]
            named = self._list_named(clause)
        answers = {answer for _, _, answer in named}
        listed = any(clause[end : end + 1] == ":" for _, end, _ in named)
        if len(answers) != 1 or listed or _DENIED.search(clause) or len(words) > _SHORT:
            return None
        return answers.pop()

    def _rank_in_sentence(self, words: str) -> list[str]:
        """Return the answers of a sentence such as "A is best, followed by C; B comes last"."""
        for sentence in reversed(re.split(r"[.!?\n]", words)):
            named = self._list_named(sentence)
            order = list(dict.fromkeys(answer for _, _, answer in named))
            if len(order) > 1 and _PLACED.search(sentence):
                first = sentence[: named[1][0]]
                return [] if re.search(r"\b(?:last|second|third|worst)\b", first) else order
        return []

    def _goes_on(self, words: str, at: int) -> bool:
        """Return whether another answer is named as an alternative."""
        other = _OR.match(words, at)
        return other is not None and self.named.match(words, other.end()) is not None

    def _find_alone(self, words: str) -> str | None:
        """Return the answer that a reply of one line names, where it says nothing else."""
        if not words or "\n" in words or len(words) > 120:
            return None
        words = words.replace("\\boxed", "")
        named = self._list_named(words)
        answers = {answer for _, _, answer in named}
        rest = re.sub(NOUN, "", self.named.sub("", words), flags=re.IGNORECASE)
        if len(answers) == 1 and re.sub(r"\W+", "", rest) in {"", *answers}:
            return answers.pop()
        return self.find(words.strip(" {}.")) if not named else None

    def _read_bare(self) -> dict[str, Any]:
        """Return the form of a reply that is a list, a chain, marks or approvals, unnamed."""
        lines = [line for line in self.lines if line]
        numbered = [each for line in lines if (each := _NUMBERED.match(line))]
        if len(numbered) == len(lines) > 1:
            places = [
                int(each[1] or each[3])
                if each[1] or each[3]
                else _ORDINALS.get(each[5].casefold(), len(lines))
                for each in numbered
            ]
            ranked = self._rank(lines)
            if (
                places == list(range(1, len(places) + 1))
                and ranked
                and len({*ranked}) == len(lines)
            ):
                return {"ranking": ranked}
        for line in reversed(lines):
            parts = re.split(r"[>≻≽]", line.strip(" ."))
            if len(parts) > 1 and all(self.named.search(part) and len(part) < 40 for part in parts):
                return {"ranking": self._rank([line]) or []}
        words = "\n".join(lines)
        marks = self._mark(words)
        if len(marks) > 1 and re.search(
            r"/10\b|\bout of 10\b|\b(?:scores?|rate)\b", words, re.IGNORECASE
        ):
            return {"scores": marks}
        if len(marks) > 1 and re.search(
            r"\bpoints?\b|\bpts?\b|\bgets\b|\breceives\b", words, re.IGNORECASE
        ):
            return {"points": marks}
        if judged := self._judge(lines):
            return {"approved": judged}
        accepted = _ACCEPTED.search(words)
        listed = self._list_approved([accepted[1] or accepted[2]]) if accepted else None
        return {"approved": listed} if listed else {}


def _name_pattern(name: str) -> str:
    """Return the pattern of a name in a sentence, as a group.

    A letter is one by itself and a capital; a number stands behind a noun such as "option".
    """
    own = re.escape(name)
    if name.isdigit():
        return rf"(\b(?i:{NOUN}) #?{own}(?!\w|[.,]\d))"
    if len(name) <= 2:
        return rf"((?:\b(?i:{NOUN}) )?(?<![a-zA-Z0-9'.])\(?{own}\)?(?![a-zA-Z0-9']))"
    return rf"(\b(?i:(?:the )?{own})\b)"


def _read_number(words: str) -> float:
    return float(words) if words[0].isdigit() else 0.0
