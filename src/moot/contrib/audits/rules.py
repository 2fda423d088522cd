"""Rules of counting: from the replies of a round to whether a question counts as right.

Most rules are a reader, from a reply to the answer it is taken for, and a way of counting these.
A package adds its own by ``@rule``, ``@reader`` or ``@counting``, and an entry point in the group
``moot.rules``. The rules of published programs are put here in own words; each names its source.
"""

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from inspect import getdoc
from operator import eq
from typing import Literal, NamedTuple, TypeAlias

from moot import Question
from moot.extend.calls import Registry
from moot.extend.protocols import answer_value, is_correct
from moot.extend.records import Kind

Outcome = Literal["right", "wrong", "unread", "left out"]
"""The mark of a question. An unread one counts as wrong; one that is left out does not count."""

NUMBERS: tuple[Kind, ...] = ("number", "math")
LETTERS: tuple[Kind, ...] = ("choice",)
EVERY: tuple[Kind, ...] = ("choice", "boolean", "number", "square", "math", "text")

AGORA = "github.com/gauss5930/LLM-Agora, commit 311ac42"
SOCIETY = "github.com/composable-models/llm_multiagent_debate, commit 9846749"


class Found(NamedTuple):
    """A reader's answer of a reply.

    Attributes:
        value: equal values are the same answer.
        start: where the words that decide begin in the reply.
        end: where they end.
    """

    value: Hashable
    start: int = 0
    end: int = 0


class Replies(NamedTuple):
    """The replies to a question in one round.

    Attributes:
        question: as moot reads it.
        right: the right answer, in the words of the log.
        texts: the reply of each agent that answers, in the order of the seats.
        answers: the answer of each by moot's reader.
    """

    question: Question
    right: str
    texts: tuple[str, ...]
    answers: tuple[str | None, ...]


ReadText: TypeAlias = Callable[[str], Found | None]
IsRight: TypeAlias = Callable[[Hashable], bool]
Count: TypeAlias = Callable[[Sequence[Hashable | None], IsRight], Outcome]


class Reader(NamedTuple):
    """A way of reading replies.

    Attributes:
        name: unique.
        read: from a reply to what it is taken for; None where nothing is found.
        read_right: the same of the right answer.
        kinds: of the questions that it is made for.
        about: what it does, in a sentence.
        equal: whether an answer is the right one.
    """

    name: str
    read: ReadText
    read_right: Callable[[str], Hashable | None]
    kinds: tuple[Kind, ...]
    about: str
    equal: Callable[[Hashable, Hashable], bool] = eq

    def read_all(self, replies: Replies) -> list[Found | None]:
        """Return the answer read from each reply."""
        if self is MOOT:
            return [_read_by_moot(each, replies.question) for each in replies.answers]
        return [self.read(text) for text in replies.texts]

    def find_right(self, replies: Replies) -> Hashable | None:
        """Return the right answer as this reader has it; None where it finds none."""
        if self is MOOT:
            return "right" if replies.question.answers else None
        return self.read_right(replies.right)


class Counting(NamedTuple):
    """A way of counting the answers of a round.

    Attributes:
        name: unique.
        apply: from the answers in the order of the seats to what the question counts as.
        about: what it does, in a sentence.
    """

    name: str
    apply: Count
    about: str


class Rule(NamedTuple):
    """A rule by which a question counts as right.

    Attributes:
        name: as ``--rule`` takes it.
        apply: from the replies of a round to what the question counts as.
        kinds: of the questions that it is made for.
        about: what it does, with its source.
        reader: None where it is no reader and counting, as the next.
        counting: how the answers are counted.
        methods: of the debates whose authors count so.
    """

    name: str
    apply: Callable[[Replies], Outcome]
    kinds: tuple[Kind, ...]
    about: str
    reader: Reader | None = None
    counting: Counting | None = None
    methods: tuple[str, ...] = ()


registry: Registry[Rule] = Registry("rule", "", group="moot.rules")
readers: dict[str, Reader] = {}
countings: dict[str, Counting] = {}


def rule(
    name: str, *, kinds: tuple[Kind, ...] = EVERY
) -> Callable[[Callable[[Replies], Outcome]], Rule]:
    """Register a function ``Replies -> Outcome``; its docstring names its source."""

    def register(count: Callable[[Replies], Outcome]) -> Rule:
        made = Rule(name, count, kinds, _describe(count))
        registry.add(name, made)
        return made

    return register


def reader(
    name: str,
    *,
    kinds: tuple[Kind, ...],
    right: Callable[[str], Hashable | None] | None = None,
    equal: Callable[[Hashable, Hashable], bool] = eq,
) -> Callable[[ReadText], Reader]:
    """Register a function from a reply to what it is taken for.

    Args:
        name: unique; it stands in the names of rules, after a colon.
        kinds: of the questions that it is made for.
        right: the same for the right answer; the function itself, if not given.
        equal: whether an answer is the right one.
    """

    def register(read: ReadText) -> Reader:
        kept = lru_cache(maxsize=256)(read)
        made = Reader(name, kept, right or _value_of(kept), kinds, _describe(read), equal)
        readers[name] = made
        return made

    return register


def counting(name: str) -> Callable[[Count], Counting]:
    """Register a function from answers and a test of them to what the question counts as."""

    def register(count: Count) -> Counting:
        made = countings[name] = Counting(name, count, _describe(count))
        return made

    return register


def compose(
    how: Counting,
    read: Reader,
    *,
    name: str = "",
    about: str = "",
    kinds: tuple[Kind, ...] = (),
    methods: tuple[str, ...] = (),
) -> Rule:
    """Register the rule of a counting and a reader.

    Args:
        how: it counts.
        read: it reads.
        name: both names with a colon between them, if not given.
        about: both descriptions, if not given.
        kinds: those of the reader, if not given.
        methods: of the debates whose authors count so.
    """

    def count(replies: Replies) -> Outcome:
        values = [each and each.value for each in read.read_all(replies)]
        return count_values(how, read, values, read.find_right(replies))

    own = name or f"{how.name}:{read.name}"
    words = about or f"{how.about} {read.about}"
    made = Rule(own, count, kinds or read.kinds, words, read, how, methods)
    registry.add(own, made)
    return made


def count_values(
    how: Counting, read: Reader, values: Sequence[Hashable | None], right: Hashable | None
) -> Outcome:
    """Return the mark of a question; without a right answer that can be read it is unread."""
    if right is None:
        return "unread"
    return how.apply(values, lambda value: read.equal(value, right))


def list_rules(kinds: Iterable[Kind]) -> list[Rule]:
    """Return the rules that are made for all of these kinds of questions."""
    wanted = set(kinds)
    return [each for each in registry if wanted <= set(each.kinds)]


def _describe(function: Callable[..., object]) -> str:
    return " ".join((getdoc(function) or "").split())


def _value_of(read: ReadText) -> Callable[[str], Hashable | None]:
    def read_right(text: str) -> Hashable | None:
        found = read(text)
        return None if found is None else found.value

    return read_right


def _read_by_moot(answer: str | None, question: Question) -> Found | None:
    """Return an answer as a value that equals ``"right"`` where it is right."""
    if answer is None:
        return None
    value = answer_value(answer, question.kind)
    return Found("right" if is_correct(answer, question) else ("other", value))


def _find_last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)


def _found(match: re.Match[str] | None, value: Callable[[str], Hashable]) -> Found | None:
    """Return the first group of a match, by its place in the text."""
    if match is None or (group := match[1]) is None:
        return None
    return Found(value(group), *match.span())


# Readers: from a reply to what it is taken for.

_NUMBER = re.compile(r"((?<![\d.])[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)")
_UNSIGNED = re.compile(r"(\d+\.?\d*)")
_DIGITS = re.compile(r"([0-9]+)")
_BRACES = re.compile(r"\{([0-9.,$]*)\}")
_BOXED = re.compile(r"\\boxed\{([^}]{1,1000})\}")
_GROUPED = re.compile(r"(-?\d{1,3}(?:,\d{3})*(?:\.\d+)?)")
_FLOATING = re.compile(r"([A-Za-z])\)")
_BRACKETED = re.compile(r"\((\w)\)")
_OPTION = re.compile(r"(?<![A-Za-z])([A-H])(?![A-Za-z'’])")


def _number(text: str) -> Hashable:
    return float(text.replace(",", "").replace("−", "-"))


def _letter(text: str) -> str | None:
    """Return the letter that a right answer is."""
    return text.strip().strip("().").upper() or None


MOOT = Reader(
    "moot",
    lambda _: None,
    lambda _: None,
    EVERY,
    "A reply is what moot's reader takes it for: what it commits to, or nothing.",
)
readers["moot"] = MOOT


@reader("last-number", kinds=NUMBERS)
def read_last_number(text: str) -> Found | None:
    """A reply is its last number, with its sign, its decimals and its commas of thousands."""
    return _found(_find_last(_NUMBER, text), _number)


@reader("last-unsigned", kinds=NUMBERS)
def read_last_unsigned(text: str) -> Found | None:
    """A reply is its last digits with decimals: a sign is lost, a comma ends a number."""
    return _found(_find_last(_UNSIGNED, text), float)


@reader("last-digits", kinds=NUMBERS, right=_value_of(read_last_unsigned.read))
def read_last_digits(text: str) -> Found | None:
    """A reply is its last run of digits: signs and points are lost; of the right answer none."""
    return _found(_find_last(_DIGITS, text), float)


@reader("boxed", kinds=NUMBERS, right=_value_of(read_last_number.read))
def read_boxed(text: str) -> Found | None:
    r"""A reply is the digits, points and minus of its last \boxed{…}, or nothing."""
    match = _find_last(_BOXED, text)
    kept = re.sub(r"[^\d.\-]", "", match[1]) if match else ""
    return Found(float(kept), *match.span()) if match and _is_number(kept) else None


@reader("letter-and-bracket", kinds=LETTERS, right=_letter)
def read_letter_and_bracket(text: str) -> Found | None:
    """A reply is its last letter with a closing bracket behind it, whichever letter that is."""
    return _found(_find_last(_FLOATING, text), str.upper)


@reader("letter-in-brackets", kinds=LETTERS, right=_letter)
def read_letter_in_brackets(text: str) -> Found | None:
    """A reply is its last sign that stands alone in brackets, whichever sign that is."""
    return _found(_find_last(_BRACKETED, text), str.upper)


@reader("last-capital", kinds=LETTERS, right=_letter)
def read_last_capital(text: str) -> Found | None:
    """A reply is its last capital from A to H that stands alone, an article "A" included."""
    return _found(_find_last(_OPTION, text), str)


def _is_number(text: object) -> bool:
    try:
        float(str(text))
    except ValueError:
        return False
    return True


def _equal_in_value(one: Hashable, other: Hashable) -> bool:
    return _is_number(one) and _is_number(other) and float(str(one)) == float(str(other))


# Countings: from the answers of a round to what the question counts as.


def _outcome(*, right: bool, read: bool = True) -> Outcome:
    return "right" if right else "wrong" if read else "unread"


def _vote(values: Iterable[Hashable | None]) -> tuple[Hashable | None, bool]:
    """Return the most frequent value, of a tie the first, and whether it was a tie."""
    votes: dict[Hashable | None, int] = {}
    for value in values:
        votes[value] = votes.get(value, 0) + 1
    most = max(votes.values(), default=0)
    first = next((value for value, number in votes.items() if number == most), None)
    return first, list(votes.values()).count(most) > 1


@counting("any")
def count_any(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if any agent is."""
    known = [value for value in values if value is not None]
    return _outcome(right=any(map(is_right, known)), read=bool(known))


@counting("every")
def count_every(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if every agent is."""
    known = [value for value in values if value is not None]
    right = len(known) == len(values) > 0 and all(map(is_right, known))
    return _outcome(right=right, read=bool(known))


@counting("first")
def count_first(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if the first agent is."""
    return count_any.apply(values[:1], is_right)


@counting("last")
def count_last(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if the last agent is."""
    return count_any.apply(values[-1:], is_right)


@counting("majority")
def count_majority(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if its most frequent answer is; of a tie the first; unread: no vote."""
    winner, _ = _vote(value for value in values if value is not None)
    return _outcome(right=winner is not None and is_right(winner), read=winner is not None)


@counting("majority-ties-wrong")
def count_ties_wrong(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if its most frequent answer is; a tie is wrong."""
    winner, tied = _vote(value for value in values if value is not None)
    right = winner is not None and not tied and is_right(winner)
    return _outcome(right=right, read=winner is not None)


@counting("majority-none-right")
def count_none_right(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if its most frequent answer is, or if that is no answer at all."""
    winner, _ = _vote(values)
    return _outcome(right=winner is None or is_right(winner))


@counting("majority-none-left-out")
def count_none_left_out(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if its most frequent answer is; without any answer it is left out."""
    found = count_majority.apply(values, is_right)
    return "left out" if found == "unread" else found


@counting("any-but-last-read")
def count_any_last_read(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if any agent is, but not where the last reply cannot be read."""
    unread = not values or values[-1] is None
    return "unread" if unread else count_any.apply(values, is_right)


@counting("majority-but-last-read")
def count_majority_last_read(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if its most frequent answer is; with the last reply unread it is not."""
    unread = not values or values[-1] is None
    return "unread" if unread else count_majority.apply(values, is_right)


@counting("majority-or-last-unread")
def count_last_unread_right(values: Sequence[Hashable | None], is_right: IsRight) -> Outcome:
    """A question is right if its most frequent answer is, or if the last reply cannot be read."""
    unread = not values or values[-1] is None
    return "right" if unread else count_majority.apply(values, is_right)


OURS = compose(
    count_majority,
    MOOT,
    about="moot's own: what moot's reader takes replies for, and the most frequent answer; a tie "
    "goes to the first. A reply that commits to nothing has no vote.",
)
"""The right rule: moot's reader and a majority vote."""

for _how in tuple(countings.values()):
    for _reader in tuple(readers.values()):
        if (_how, _reader) != (count_majority, MOOT):
            compose(_how, _reader)


FIRST = registry.get("first:moot")
"""One reply: that of the first agent, by moot's reader."""


# Rules of published programs, as their code is written, in own words.


def _either(first: ReadText, second: ReadText) -> ReadText:
    """Return a reader that falls back on another where it finds nothing."""

    def read(text: str) -> Found | None:
        return first(text) or second(text)

    return read


def _as_written(match: re.Match[str] | None) -> Found | None:
    return _found(match, str)


def _read_written_number(text: str) -> Found | None:
    """Read the last digits with decimals as they are written: 18 and 18.0 are two answers."""
    return _as_written(_find_last(_UNSIGNED, text))


def _read_braces(text: str) -> Found | None:
    """Read the last number alone in braces; braces without a digit count as empty words."""
    every = list(_BRACES.finditer(text))
    best = next((each for each in every[::-1] if re.search(r"[\d.]", each[1])), None)
    best = best or (every[0] if every else None)
    return best and Found(re.sub(r"[^0-9.]", "", best[1]), *best.span())


def _read_agora_digits(text: str) -> Found | None:
    """Read the last run of digits; where that is 0, the last digits with decimals."""
    found = read_last_digits.read(text)
    return found if found and found.value else read_last_unsigned.read(text) or found


def _read_agora_right(text: str) -> Hashable | None:
    """Read the right number; 0 counts as none."""
    return read_last_unsigned.read_right(text) or None


def _read_boxed_or_grouped(text: str) -> Found | None:
    """Read the last boxed text, else the last number in groups of three digits."""
    match = _find_last(_BOXED, text) or _find_last(_GROUPED, text)
    return match and Found(re.sub(r"[^\d.\-]", "", match[1]), *match.span())


def _read_marked_right(text: str) -> str:
    """Read the digits, points and signs behind the last mark ####."""
    return re.sub(r"[^\d.\-]", "", text.rpartition("####")[2])


def _read_signed_right(text: str) -> Hashable | None:
    """Read the whole right answer as a number, with its sign."""
    return float(text) if _is_number(text) else None


_FORM = re.compile(r"\(X\)\s*([A-E])", re.IGNORECASE)
_AMONG = re.compile(r"\(([A-E])\)", re.IGNORECASE)
_END = re.compile(r"([A-Ea-e])")


def _read_option(text: str) -> Found | None:
    """Read the first letter behind "(X)", else the last in brackets, else the last sign of all.

    That is any letter from A to E which ends the reply, that of a word included.
    """
    plain = re.sub(r"\*\*|['\"]", "", text)
    end = next((at for at in range(len(plain), 0, -1) if re.match(r"\w", plain[at - 1])), 0)
    match = _FORM.search(plain) or _find_last(_AMONG, plain) or _END.match(plain, end - 1, end)
    found = _found(match, str.upper)
    if found is None or match is None or plain == text:
        return found
    place = max(0, text.rfind(match[0]))  # without its marks the text is shorter
    return found._replace(start=place, end=place + len(match[0]))


def _make_reader(
    name: str,
    read: ReadText,
    right: Callable[[str], Hashable | None],
    kinds: tuple[Kind, ...],
    equal: Callable[[Hashable, Hashable], bool] = eq,
) -> Reader:
    """Return a reader of one program; it is composed with no other counting."""
    return Reader(name, lru_cache(maxsize=256)(read), right, kinds, _describe(read), equal)


_agora_letters = _make_reader(
    "llm-agora-mmlu",
    _either(read_letter_and_bracket.read, _read_written_number),
    str,
    LETTERS,
)
_agora_numbers = _make_reader("llm-agora-gsm8k", _read_agora_digits, _read_agora_right, NUMBERS)
_agora_words = _make_reader(
    "llm-agora-gsm8k-in-words", _read_agora_digits, read_last_unsigned.read_right, NUMBERS
)
_agora_sums = _make_reader("llm-agora-math", read_last_digits.read, _read_signed_right, NUMBERS)
_options = _make_reader("option", _read_option, str, LETTERS)
_society_numbers = _make_reader(
    "society-gsm8k",
    _either(_read_braces, _read_written_number),
    _value_of(_read_written_number),
    NUMBERS,
    _equal_in_value,
)
_society_letters = _make_reader(
    "society-mmlu",
    _either(read_letter_in_brackets.read, _read_written_number),
    str,
    LETTERS,
)
_boxed_or_grouped = _make_reader(
    "boxed-or-grouped", _read_boxed_or_grouped, _read_marked_right, NUMBERS
)

compose(
    count_any_last_read,
    _agora_letters,
    name="llm-agora-mmlu",
    about="Any agent right counts. A reply is its last letter with a closing bracket, else its "
    "last number; where the last agent's reply has neither, the question counts 0. "
    f"Source: {AGORA}, MMLU/mmlu_evaluation.py, lines 46 to 87.",
)
compose(
    count_any,
    _agora_numbers,
    name="llm-agora-gsm8k",
    about="Any agent right counts. A reply is its last run of digits, and where that is 0 its last "
    "digits with decimals; the right answer is the last such number of the gold text, and "
    "a question whose right answer is read as 0 counts 0. "
    f"Source: {AGORA}, GSM8K/gsm_evaluation.py, lines 37 to 85.",
)
compose(
    count_any,
    _agora_words,
    name="llm-agora-gsm8k-in-words",
    about="As llm-agora-gsm8k, without its line 71: a right answer that is read as 0 is a number "
    "like others.",
)
compose(
    count_any,
    _agora_sums,
    name="llm-agora-math",
    about="Any agent right counts. A reply is its last run of digits; a right answer below 0 is "
    f"met by none. Source: {AGORA}, Math/math_evaluation.py, lines 37 to 69.",
)
compose(
    count_none_right,
    _society_numbers,
    name="society-gsm8k",
    about="The most frequent answer counts, of a tie the first. A reply is its last number alone "
    "in braces, else its last digits with decimals; a sign is lost. No answer has votes, too, "
    f"and counts as right. Source: {SOCIETY}, gsm/eval_gsm.py, lines 46 to 119.",
    methods=("society-of-minds",),
)
compose(
    count_none_left_out,
    _boxed_or_grouped,
    name="boxed-gsm8k",
    about="The most frequent answer counts, of a tie the first. A reply is the digits, points and "
    "signs of its last box, else its last number in groups of three digits. "
    "Source: github.com/Wenjia-Lu/llm_multi_agent, commit b0b14bf, "
    "open-source-replication/gsm/eval_OS.py, lines 13 to 83.",
)
compose(
    count_none_left_out,
    _options,
    name="option-mmlu",
    about="The most frequent answer counts, of a tie the first; a question without any is left "
    'out. A reply is the first letter from A to E behind "(X)", else the last such letter in '
    "brackets, else such a letter that ends it, that of a word, too. Source: "
    "github.com/Wenjia-Lu/llm_multi_agent, commit b0b14bf, "
    "open-source-replication/mmlu/eval_OS.py, lines 12 to 100.",
)
compose(
    count_majority,
    _society_letters,
    name="society-mmlu",
    about="The most frequent answer counts, of a tie the first. A reply is its last sign alone in "
    "brackets, else its last digits; replies without either have no vote. "
    "Source: github.com/ahumay/calico, commit 67f82bf, mmlu/eval_mmlu.py, lines 18 to 84.",
    methods=("society-of-minds",),
)
compose(
    count_majority_last_read,
    _society_letters,
    name="society-mmlu-2023-07",
    about="As society-mmlu; where the last reply has neither a sign in brackets nor digits, the "
    f"question counts 0. Source: {SOCIETY}, mmlu/eval_mmlu.py, lines 55 to 111.",
)
compose(
    count_last_unread_right,
    _society_letters,
    name="society-mmlu-2023-05",
    about="As society-mmlu; where the last reply has neither a sign in brackets nor digits, the "
    "question counts 1. Source: github.com/composable-models/llm_multiagent_debate, before "
    "commit ba79c2c, mmlu/eval_mmlu.py, lines 86 and 87.",
)
