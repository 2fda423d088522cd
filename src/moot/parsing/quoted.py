"""Quotes: removes what a reply repeats of other speakers, or invents for them."""

import re
from collections.abc import Iterator

_DIALOGUE = re.compile(
    r"\n(?:(?:q|question|user|human|input|(?P<same>assistant))\s?\d{0,3}\s?:"
    r"|(?:<h\d>|#{1,4} )?question \d)",
    re.IGNORECASE,
)
_NUMBERED = (
    r"(?:agent|mind|expert|debater|speaker|community|group|person)[ #-]{1,2}(?:\d{1,3}|[a-z])"
)
_OTHER = (
    r"(?:one|another|an? other|the other|other)(?: (?:agent|mind|expert|debater)s?'?)?"
    r"|(?:the )?(?:affirmative|negative|opponent|consultant|assistant)(?: side)?"
)
_SAYS = (
    r"(?:(?:'s?)? (?:answer|response|solution|view|feedback|argument)(?: on your answer)?(?: \d)?"
    r"| says| said| wrote| answered| argues| arguing)"
)
_LABEL = re.compile(
    rf"^[ *#`]{{0,4}}(?:(?P<name>{_NUMBERED}|(?:the )?(?:affirmative|negative|opponent)(?: side)?)"
    rf"|(?:{_NUMBERED}|{_OTHER}){_SAYS}|your friends say"
    r"|\w{2,15} \(confidence [\d.]{1,5}\)) ?:",
    re.IGNORECASE | re.MULTILINE,
)
_OWN = re.compile(
    r"^[ *]{0,3}(?:my|i|i'm|updated|revised|in conclusion|conclusion|therefore|so|thus|overall"
    r"|after|based on|considering|both|the best)\b",
    re.IGNORECASE | re.MULTILINE,
)


_FINAL = re.compile(r"^[ *#]{0,5}final answer ?[:=]", re.IGNORECASE | re.MULTILINE)
_NAMED = re.compile(
    r"^(?!(?:correction|update|updated|revised|revision|conclusion|solution|answer|result|summary|so"
    r"|therefore|thus|hence|finally|overall|wait|actually|check|verification|explanation|reasoning"
    r"|reason|note|my|step|proof)\b)[a-z]{2,15}(?:'s \w+| says| said)? ?:",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that may tell what a person said: "Peter: …", "Peter's solution: …"."""


def split_turns(said: str) -> Iterator[str]:
    """Find the parts of a reply that are its own, without a dialogue that it invents.

    If its first words say nothing, the words after "Assistant:" that follow are its own, too.
    """
    start = len(said) - len(said.lstrip())
    match = _DIALOGUE.search(said, start + 1)
    if not match or not said[start : match.start()].strip():
        yield said
        return
    yield said[: match.start()]
    if match["same"]:
        after = _DIALOGUE.search(said, match.end())
        yield said[match.end() : after.start() if after else len(said)]


def remove_quotes(said: str) -> str:
    """Return the reply in the same length without its quotes of others: "Agent 2: … Agent 3: …".

    A quote ends at the next one, at a line in the speaker's own voice ("So …", "I …"), or with the
    reply. A single name at the beginning is the speaker's own.
    """
    if ":" not in said:
        return said
    said = _without_echoes(said)
    labels = list(_LABEL.finditer(said))
    if not labels:
        return said
    first, last = labels[0], labels[-1]
    if first is last and not said[: first.start()].strip():
        if first["name"]:
            return said
        end = said.find("\n\n", first.end() + 2)  # "The other side says: …", one paragraph
    else:
        voice = _OWN.search(said, last.end())
        end = voice.start() if voice else -1
    end = end if end >= 0 else len(said)
    return said[: first.start()] + "\n" * (end - first.start()) + said[end:]


def _without_echoes(said: str) -> str:
    """Return the reply in the same length without another speaker's words after its final line.

    They end at a line in the reply's own voice, or at its next final line if they have their own.
    """
    final = _FINAL.search(said)
    named = _NAMED.search(said, final.end()) if final else None
    if not named:
        return said
    voice = _OWN.search(said, named.end())
    end = voice.start() if voice else len(said)
    anew = _FINAL.search(said, named.end(), end)
    if anew and "final answer" in said[named.end() : anew.start()].lower():
        end = anew.start()
    return said[: named.start()] + "\n" * (end - named.start()) + said[end:]
