"""Adoption: replies that make another agent's answer their own, such as "Agent 2 is right"."""

import re
from collections.abc import Iterator, Mapping

from moot.answers.statements import BELIEF, Statement, markers
from moot.core.questions import Question

_WHO = r"(?P<{0}>(?:agent|mind|expert|debater|person|speaker|assistant) ?-?#?(?:\d{{1,3}}|[a-z](?![a-z]))|(?:the )?(?:affirmative|negative|angel|devil)(?: side| debater)?)"
_ADOPTS = re.compile(
    rf"\b(?:(?:i (?:fully |completely |also |do )?(?:agree|concur|side|go) with|i (?:accept|adopt|support|choose|prefer)|agreeing with|adopt(?:ing)?|convinced by)"
    rf" (?:the (?:answer|view|opinion|reasoning) (?:of|by|from) )?(?:one )?{_WHO.format('a')}"
    rf"|{_WHO.format('b')}(?:'s? (?:answer|view|solution|reasoning|response|argument|conclusion|position))?"
    rf" (?:is|was|seems|looks)(?: (?:indeed|also|clearly|actually|absolutely|completely|the one who is))? (?:right|correct|the correct one))"
    r"(?! about\b)"
)
_LABEL = re.compile(rf"^(?:one )?{_WHO.format('c')}(?: \([^)\n]{{1,30}}\))? ?:", re.MULTILINE)
_DOUBT = re.compile(r"\b(?:if|whether|not|don't|n't|unless|only)\b")
_AGENT = re.compile(
    r"(agent|mind|expert|debater|person|speaker|assistant|affirmative|negative|angel|devil)[ #-]*([0-9]{1,3}|[a-z]\b)?"
)


def _key(label: str) -> str:
    """A label without its spelling: ``"Agent 2"`` and ``"agent-2"`` are one."""
    match = _AGENT.search(label.casefold())
    return f"{match[1]}{match[2] or ''}" if match else label.casefold().strip()


def adopted(
    said: str, low: str, question: Question, heard: Mapping[str, str | None] | None
) -> Iterator[Statement]:
    """The answers of those whom the reply declares right."""
    if not (
        "agree" in low
        or " right" in low
        or "correct" in low
        or "adopt" in low
        or "accept" in low
        or "with" in low
    ):
        return
    known: dict[str, str | None] | None = None
    for match in _ADOPTS.finditer(low):
        lead = low[
            max(low.rfind(".", 0, match.start()), low.rfind("\n", 0, match.start()))
            + 1 : match.start()
        ]
        if _DOUBT.search(lead):
            continue
        if known is None:
            known = {_key(label): answer for label, answer in (heard or {}).items()} or _quoted(
                said, low, question
            )
        who = _key(match["a"] or match["b"])
        value = known.get(who)
        if value is None and who[-1:].isdigit():  # labels may use another noun for the same number
            number = re.sub(r"\D", "", who)
            same = [answer for label, answer in known.items() if re.sub(r"\D", "", label) == number]
            value = same[0] if len(same) == 1 else None
        if value is not None:
            yield Statement(match.start(), match.end(), value, BELIEF)


_SAYS = re.compile(
    rf"{_WHO.format('d')}[^.\n]{{0,40}}\b(?:says?|said|answers?|answered|claims?|claimed|argues?|chose|thinks?|believes?)\b"
)


def _quoted(said: str, low: str, question: Question) -> dict[str, str | None]:
    """What each agent answered, as far as the reply itself quotes it."""
    answers: dict[str, str | None] = {}
    labels = list(_LABEL.finditer(low))
    for label, after in zip(labels, [*labels[1:], None], strict=False):
        part = slice(label.end(), after.start() if after else len(said))
        quoted = [s.value for s in markers(said[part], low[part], question)]
        if quoted:
            answers[_key(label["c"])] = quoted[-1]
    for match in _SAYS.finditer(low):
        from moot.answers.values import clause, read

        value = read(
            clause(said[match.end() : match.end() + 120])
            .removeprefix(" that")
            .removeprefix(" the answer is"),
            question,
        )
        if value is not None:
            answers.setdefault(_key(match["d"]), value)
    return answers
