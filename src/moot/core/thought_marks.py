"""The marks between which models write their thought, each with its source."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple


class ThoughtMark(NamedTuple):
    """A beginning and an end of thought. Case and spaces within them do not count.

    Attributes:
        begin: the beginning.
        end: the end.
        source: the models or tools that use them, and where that is written.
        cut: where a beginning without an end is thought that was cut off: at the beginning of a
            line, anywhere, or nowhere.
        alone: whether an end without a beginning ends a thought that the chat template began.
        first: whether the beginning counts at the beginning of the reply alone.
    """

    begin: str
    end: str
    source: str
    cut: Literal["line", "anywhere", "never"] = "line"
    alone: bool = True
    first: bool = False


_WEBUI = "Open WebUI, DEFAULT_REASONING_TAGS in utils/middleware.py"
_HARMONY = "gpt-oss: OpenAI, harmony response format"
_BARE = "gpt-oss where a server leaves its special tokens out: macprovider, issue 743"

MARKS = (
    ThoughtMark(
        "<think>", "</think>", "DeepSeek-R1, Qwen3, GLM-4.5, MiniMax-M2: vLLM, deepseek_r1"
    ),
    ThoughtMark("<thinking>", "</thinking>", f"asked for in prompts; {_WEBUI}"),
    ThoughtMark("<thought>", "</thought>", f"EXAONE Deep, Gemini's endpoint; {_WEBUI}"),
    ThoughtMark("<reasoning>", "</reasoning>", f"models tuned to reason; {_WEBUI}"),
    ThoughtMark(
        "<scratchpad>", "</scratchpad>", "asked for in prompts; seen in replies, no source"
    ),
    ThoughtMark("<seed:think>", "</seed:think>", "Seed-OSS: vLLM, seed_oss"),
    ThoughtMark("<think:opensource>", "</think:opensource>", "Hunyuan: mlx-lm, tokenizer_utils.py"),
    ThoughtMark("<longcat_think>", "</longcat_think>", "LongCat: mlx-lm, tokenizer_utils.py"),
    ThoughtMark("[THINK]", "[/THINK]", "Magistral: vLLM, mistral"),
    ThoughtMark("◁think▷", "◁/think▷", f"Kimi-VL, Kimi-Dev; {_WEBUI}"),
    ThoughtMark("<|begin_of_thought|>", "<|end_of_thought|>", f"OpenThoughts, STILL; {_WEBUI}"),
    ThoughtMark("<|START_THINKING|>", "<|END_THINKING|>", "Command A: vLLM, cohere_command"),
    ThoughtMark("<|channel>thought", "<channel|>", "Gemma 4: vLLM, gemma4"),
    ThoughtMark("<unused94>thought", "<unused95>", "MedGemma 1.5: code that reads its replies"),
    ThoughtMark(
        '<details type="reasoning">',
        "</details>",
        "Open WebUI's form of stored thought",
        alone=False,
    ),
    ThoughtMark(
        "<|channel|>analysis<|message|>", "<|channel|>final<|message|>", _HARMONY, "anywhere"
    ),
    ThoughtMark(
        "<|channel|>commentary<|message|>", "<|channel|>final<|message|>", _HARMONY, "anywhere"
    ),
    ThoughtMark("analysis", "assistantfinal", _BARE, alone=False, first=True),
    ThoughtMark(
        "Here is my thought process:",
        "Here is my response:",
        "Granite 3.2: vLLM, granite",
        "never",
        alone=False,
        first=True,
    ),
)
"""All marks. Sources are vLLM's parsers of reasoning by name, and tools that read such replies."""

RECORDED = MARKS[:1]
"""The marks that counted when replies were recorded whole: they are read as they were then."""

CONTROL = re.compile(
    r"<\|(?:start|end|return|call|channel|message)\|>(?:assistant)?"
    r"|<\|(?:(?:START|END)_RESPONSE|(?:begin|end)_of_solution)\|>"
)
"""Special tokens around the words of a reply whose thought has marks."""


_SPACE = r"[ \t]{0,2}"
_ATTRIBUTES = r"(?:[ \t]+[\w:-]+=[^<>\n]{0,200})?"
_OPENER = re.compile(rf"[<\[◁]{_SPACE}/?{_SPACE}\|?[\w:]+")
"""The beginning of a tag. Marks are looked up by it."""
_BRACKET = re.compile(r"[<\[◁]")
_BEFORE = ("<|end", "<|return", "<|call", "<|start", "<|channel")
"""The tags with which the header of a message in harmony may begin."""
_HEADER = (
    r"(?:<\|(?:end|return|call)\|>)?(?:<\|start\|>assistant)?<\|channel\|>[ \t]?{channel}"
    r"[^<]{{0,80}}(?:<\|constrain\|>[^<]{{0,40}})?<\|message\|>"
)
_SENTENCES = {
    # A sentence right behind the word, or the final answer later: "analysis of it" is no mark.
    "analysis": r"analysis(?=[A-Z][a-z'’]* [\w\"']|(?:Question|Problem|Task|User): "
    r"|[^\s:.,;!?)*_-](?s:.*)assistantfinal)",
    "Here is my thought process:": "Here(?:'s| is) (?:my|the) thought process:",
    "Here is my response:": "Here(?:'s| is) my response:",
}
"""The patterns of marks that are words."""


def _fold(tag: str) -> str:
    """Return a tag without case and spaces."""
    return tag.lower().replace(" ", "").replace("\t", "")


_LONGEST = 240
"""Characters of a tag with its attributes."""
_TAGS = tuple(
    _fold(before + tag)
    for each in MARKS
    for tag in (each.begin, each.end)
    for before in ("", "<|start|>assistant", "<|end|><|start|>assistant")
    if tag[0] in "<[◁" and (not before or tag.endswith("<|message|>"))
)
"""All tags without case and spaces; those of harmony with the end of the message before, too."""
_REASONING = '<detailstype="reasoning"'
"""The one tag that comes with attributes."""
_WORDS = (
    "analysis",
    *(f"Here{verb} {whose} thought process:" for verb in (" is", "'s") for whose in ("my", "the")),
)
_SENTENCE = re.compile(r"analysis[A-Z][a-z'’]*:? ?")
"""The beginning of a sentence right behind the word."""


class FoundMark(NamedTuple):
    """A mark in a text.

    Attributes:
        mark: the mark; of marks with the same end, the first.
        begins: whether it is a beginning.
        start: its place.
        stop: the place behind it.
    """

    mark: ThoughtMark
    begins: bool
    start: int
    stop: int


class _Known(NamedTuple):
    mark: ThoughtMark
    begins: bool
    pattern: re.Pattern[str]


def _list_openers(tag: str) -> tuple[str, ...]:
    """Return the beginnings of a mark by which it is looked up."""
    if tag.endswith("<|message|>"):
        return _BEFORE
    found = _OPENER.match(tag)
    return () if found is None else (_fold(found[0]),)


def _compile(tag: str, *, exactly: bool) -> re.Pattern[str]:
    """Return the pattern of a mark: of a tag with spaces between its parts, and with attributes."""
    if exactly:
        return re.compile(re.escape(tag))
    if tag.endswith("<|message|>"):
        [_, channel, _] = re.findall(r"\w+", tag)
        return re.compile(_HEADER.format(channel=channel), re.IGNORECASE)
    if not _OPENER.match(tag):
        return re.compile(_SENTENCES.get(tag, tag))
    parts = [re.escape(part) for part in re.findall(r"\w+|[^\w\s]", tag)]
    if parts[-1] == ">" and parts[-2] != r"\|" and parts[1] != "/":
        parts[-1] = _ATTRIBUTES + _SPACE + ">"
    return re.compile(_SPACE.join(parts), re.IGNORECASE)


class MarkReader:
    """Finds marks in a text.

    Args:
        marks: the marks.
        exactly: whether case and spaces within them count.
    """

    def __init__(self, marks: Iterable[ThoughtMark], *, exactly: bool = False) -> None:
        self._tags: dict[str, list[_Known]] = {}
        self._words: list[tuple[_Known, re.Pattern[str]]] = []
        ends: set[str] = set()
        for mark in marks:
            end = _Known(mark, begins=False, pattern=_compile(mark.end, exactly=exactly))
            begin = _Known(mark, begins=True, pattern=_compile(mark.begin, exactly=exactly))
            if mark.first:
                self._words.append((begin, end.pattern))
            for tag, known in ((mark.begin, begin), (mark.end, end)):
                if tag not in ends:
                    for opener in _list_openers(tag):
                        self._tags.setdefault(opener, []).append(known)
            ends.add(mark.end)

    def find(self, text: str) -> list[FoundMark]:
        """Return the marks in a text, in order; one in backquotes is a word like any other."""
        found = [*self._find_tags(text), *self._find_words(text)]
        return sorted(found, key=lambda each: each.start)

    def _find_tags(self, text: str) -> Iterator[FoundMark]:
        at = 0
        while (opener := _OPENER.search(text, at)) is not None:
            start, at = opener.start(), opener.start() + 1
            for known in self._tags.get(_fold(opener[0]), ()):
                tag = known.pattern.match(text, start)
                if tag is not None and text[start - 1 : start] != "`":
                    yield FoundMark(known.mark, begins=known.begins, start=start, stop=tag.end())
                    at = tag.end()
                    break

    def _find_words(self, text: str) -> Iterator[FoundMark]:
        for begin, end in self._words:
            found = begin.pattern.match(text)
            if found is not None:
                yield FoundMark(begin.mark, begins=True, start=0, stop=found.end())
                yield from (
                    FoundMark(begin.mark, begins=False, start=each.start(), stop=each.end())
                    for each in end.finditer(text, found.end())
                    if text[each.start() - 1] != "`"
                )


def find_begun_mark(text: str, *, first: bool) -> int:
    """Return the place from which a text may be the beginning of a mark; its length for nowhere.

    Args:
        text: the end of what has come of a reply so far.
        first: whether it is the beginning of the reply, too.
    """
    if first and (any(each.startswith(text) for each in _WORDS) or _SENTENCE.fullmatch(text)):
        return 0
    for found in _BRACKET.finditer(text, max(0, len(text) - _LONGEST)):
        tag = _fold(text[found.start() :])
        if any(each.startswith(tag) for each in _TAGS) or tag.startswith(_REASONING):
            return found.start()
    return len(text)


def may_hold_marks(text: str) -> bool:
    """Return whether a text may have a mark in it. Nearly every text without one has none."""
    return (
        "<" in text
        or ("]" in text and ("hink]" in text or "HINK]" in text))
        or "◁" in text
        or text.startswith(("analysis", "Here"))
    )
