"""Own words: a reply without the prompt that it repeats and the turns that it plays for others.

A model without a stop token goes on after its answer: it opens the next turn of a chat template,
plays the user, or begins another question. One that was not trained for chat may begin with the
prompt itself. None of that is said by the speaker.
"""

import re

from moot.core.questions import Question
from moot.parsing import free_text
from moot.parsing.named import read_name
from moot.parsing.parser import HeardAnswers

_USER = (
    r"(?:\#{1,4} ?(?:system|user|human|instructions?|input|prompt|question)\b ?\d{0,3} ?:?"
    r"|<\|?(?:im_start|start_header_id|begin_of_text|begin▁of▁sentence|system|user|human|prompter)"
    r"\|?>\s?(?:system|user|human)?|<start_of_turn>\s?user|\[/?INST\]|<s>|<<SYS>>|<｜User｜>"
    r"|(?:system|user|human) ?:)"
)
_SPEAKER = (
    r"(?:\#{1,4} ?(?:response|assistant|answer|output)\b ?:?(?=\s|$)"
    r"|<\|?(?:im_start|start_header_id)\|?>\s?assistant\b(?:<\|?end_header_id\|?>)?"
    r"|<\|?assistant\|?>|<start_of_turn>\s?model|\[/INST\]|<｜Assistant｜>|^(?:assistant|bot) ?:)"
)
_OPENS = re.compile(rf"\s*{_USER}", re.IGNORECASE)
_TURN = re.compile(_SPEAKER, re.IGNORECASE | re.MULTILINE)
_ENDS = re.compile(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end_of_text|end|user|system|start_header_id"
    r"|assistant)\|>|</s>|<(?:end|start)_of_turn>|\[/?INST\]|<｜(?:User|end▁of▁sentence)｜>"
    r"|^ ?\#{2,4} ?(?:(?:user|human)\b ?\d{0,3} ?:?|instruction ?:)[ \t]*$"
    r"|^(?:-{3,}\n)?(?:\*\*)?(?:next|another|new) (?:question|problem|exercise)"
    r"(?: ?\#?\d{1,3})?(?:[:.]|\*\*|$)(?=(?:[^\w?]*+\w++){7}[^?]{1,600}\?)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a turn ends, or a further question of seven words and more begins."""
_HEADINGS = re.compile(
    r"^ ?\#{2,4} ?(?:instructions?|input)\b ?\d{0,3} ?:?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
"""Headings of a template, which a solution may have too."""
_STRUCK = re.compile(r"<s>[^<>\n]{0,80}</s>(?=[ \t]*\w)")
"""Struck words, with others in their place."""
_FURTHER = re.compile(r"\s*#\s?[2-9]\.\s")
"""A reply that opens with item 2 of a list: it goes on with exercises of its own."""
_INSTRUCTION = re.compile(
    r"[^\n.?!]{0,120}\b(?:in the form|at the end of your (?:response|answer)|explain your"
    r" (?:answer|reasoning)|final answer should be)\b[^\n]*?(?:[.!?](?=\s|$)|\n|$)\s*",
    re.IGNORECASE,
)
_STATES = re.compile(r"\banswer(?: is|:) ?\S|boxed|\A\(?[A-Z]\)?\.?\Z", re.IGNORECASE)
"""An answer that stands before a copied question."""
_LEAD = 60
"""The most characters of an answer before a copied question; more is a prompt."""
_SHORTEST = 40
"""Characters of a question from which a copy of it is known."""


_ITEM = re.compile(r"^\d{1,2}[.)] ", re.MULTILINE)
_ASKS_BACK = re.compile(
    r"^\d{1,2}[.)] [^\n]{0,200}\b(?:can you (?:please )?(?:answer|provide|solve|give|update)\b"
    r"|make sure to state your answer\b|explain your (?:answer|reasoning), putting\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""An item of a list that asks for the answer: the list is the prompt, point by point."""


def take_own_words(text: str) -> str:
    """Return what a reply says itself, without a chat template around it.

    Of a reply that opens with another's turn only the words after the last assistant's mark are
    its own; none, where nothing follows. A turn that it opens for others afterwards ends it.
    """
    if _FURTHER.match(text):
        return ""
    if _ITEM.match(text.lstrip()) and _ASKS_BACK.search(text):
        return ""
    if "</s>" in text:
        text = _STRUCK.sub("", text)
    last = 0
    if opened := bool(_OPENS.match(text)):
        for mark in _TURN.finditer(text):
            last = mark.end()
        text = text[last:]
    if any(sign in text for sign in "<[#") or "uestion" in text or "roblem" in text:
        start = len(text) - len(text.lstrip())
        for sign in (_ENDS, _HEADINGS) if opened else (_ENDS,):
            end = sign.search(text, start + 1)
            if end and text[: end.start()].strip():
                text = text[: end.start()]
    return text


def drop_copy(said: str, question: Question) -> str:
    """Return a reply without the copy of the question that it has near its beginning.

    Words before the copy stay where they state an answer.

    Args:
        said: the reply, already plain (see ``moot.parsing.plain_text``).
        question: what was asked.
    """
    asked = " ".join(question.text.split())
    if len(asked) < _SHORTEST or len(said) < len(asked):
        return said
    flat = said[: 2 * len(asked) + 400].replace("\n", " ")
    at = flat.find(asked[-_SHORTEST:])
    start = flat.rfind(asked[:_SHORTEST], 0, at + _SHORTEST)
    if at < 0 or start < 0:
        return said
    copied = at + _SHORTEST
    end = _end_of_options(said, copied, question)
    if end == copied and not (asked.endswith("?") or said[end : end + 1] == "\n"):
        return said  # 'The statement "…" is false.'
    while instruction := _INSTRUCTION.match(said, end):
        end = instruction.end()
    rest = said[end:].lstrip(" :.\n")
    lead = said[:start].rstrip()
    return f"{lead}\n\n{rest}" if _is_own(lead) else rest


def _is_own(lead: str) -> bool:
    """Return whether the words before a copied question state an answer."""
    return len(lead) <= _LEAD and bool(_STATES.search(lead))


def _end_of_options(said: str, at: int, question: Question) -> int:
    """Return where the copied options end; the place itself without them."""
    low, end = said.casefold(), at
    for letter, choice in zip(question.letters, question.choices, strict=False):
        words = " ".join(choice.casefold().split())
        found = low.find(words, end, end + len(words) + 40) if words else -1
        if found < 0 or f"{letter.casefold()}" not in low[end:found]:
            return at
        end = found + len(words)
    return end


def read_own_words(
    text: str, question: Question, heard: HeardAnswers, *, finished: bool
) -> str | None:
    """Return the answer that a reply's own words commit to; None if they commit to none."""
    text = take_own_words(text)
    if question.kind == "math":
        from moot.parsing.mathematics.answers import read_reply

        return read_reply(text, question, heard, finished=finished)
    if question.kind == "text":
        words = free_text.read(text, finished=finished)
        return (words and read_name(words, question, heard, bare=False)) or words
    from moot.parsing.prose import read_prose  # which words need not

    return read_prose(text, question, heard, finished=finished)
