"""Which questions a report shows in full, and how their debates came out."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol

from moot.core.display_text import format_things, natural_sort_key
from moot.core.events import Transcript
from moot.core.stored import DebateRow
from moot.parsing.same import is_correct

REPLY = 4_000
"""The most characters shown of a reply, a question or its context."""
ROOM = 8_000_000
"""The most characters of transcripts in one report, however many debates these are."""
_TURN = 700  # characters of a page around a turn


class KnownDebate(Protocol):
    """What is known of a debate without its transcript."""

    @property
    def arm(self) -> str: ...  # noqa: D102 -- as those of ``DebateRow``, which these are
    @property
    def dataset(self) -> str: ...  # noqa: D102
    @property
    def question(self) -> str: ...  # noqa: D102


Fetch = Callable[[str, str, str], Iterable[DebateRow]]
"""The debates of an arm on a question of a dataset; as ``Store.debates`` of a run."""


class ShownDebate(NamedTuple):
    """A debate in the report, decoded; its number among those of its question is from 1."""

    number: int
    arm: str
    replicate: int
    transcript: Transcript
    mark: str

    @property
    def sign(self) -> str:
        """The mark as one character."""
        return {"right": "✓", "wrong": "✗", "unparsed": "?", "failed": "!", "open": "·"}[self.mark]


class ShownQuestion(NamedTuple):
    """A question in the report, with its debates in the order of the arms."""

    dataset: str
    id: str
    debates: list[ShownDebate]

    @property
    def differs(self) -> bool:
        """Whether its debates came out differently."""
        return len({debate.mark for debate in self.debates}) > 1


class ShownQuestions(NamedTuple):
    """The questions a report shows, in the order of their ids, and the number of all debates."""

    asked: list[ShownQuestion]
    seen: int

    @property
    def shown(self) -> int:
        """The debates of these questions."""
        return sum(len(question.debates) for question in self.asked)


def choose_questions(
    held: Iterable[KnownDebate], fetch: Fetch, arms: Sequence[str], *, most: int, room: int = ROOM
) -> ShownQuestions:
    """Choose whole questions by a hash of their ids, as many as fit.

    So every arm is shown on the same questions and the same run gives the same report. No
    transcript is read but those that are shown.

    Args:
        held: every debate, in any order; read once.
        fetch: gives the transcripts.
        arms: the order of the arms of a question.
        most: how many debates to show at most.
        room: characters that they may take, about; at least one debate is shown if ``most`` allows.
    """
    kept: dict[tuple[bytes, str, str], list[str]] = {}
    bar: tuple[bytes, str, str] | None = None
    rows = seen = 0
    for each in held:
        seen += 1
        digest = blake2b(f"{each.dataset}\0{each.question}".encode(), digest_size=8).digest()
        key = (digest, each.dataset, each.question)
        if bar is not None and key >= bar:
            continue
        kept.setdefault(key, []).append(each.arm)
        rows += 1
        while rows > most and len(kept) > 1:
            bar = max(kept)
            rows -= len(kept.pop(bar))
    place = {arm: number for number, arm in enumerate(arms)}
    asked: list[ShownQuestion] = []
    for (_, dataset, question), named in sorted(kept.items()):
        order = sorted(set(named), key=lambda arm: (place.get(arm, len(place)), arm))
        found = (
            row
            for arm in order
            for row in sorted(fetch(arm, question, dataset), key=lambda each: each.replicate)
        )
        debates, room = _fitting(found, most, room)
        if asked and len(debates) < len(named):
            break
        if debates:
            asked.append(ShownQuestion(dataset, question, debates))
        most -= len(debates)
    return ShownQuestions(sorted(asked, key=_natural), seen)


def _fitting(found: Iterable[DebateRow], most: int, room: int) -> tuple[list[ShownDebate], int]:
    """Return the first debates that fit, and the characters that remain."""
    debates: list[ShownDebate] = []
    for row in found:
        if len(debates) >= most or room <= 0:
            break
        transcript = row.transcript
        room -= sum(
            _TURN + min(len(turn.text), REPLY) + min(len(turn.thought), REPLY)
            for turn in transcript.turns
        )
        debates.append(
            ShownDebate(
                len(debates) + 1, row.arm, row.replicate, transcript, outcome_of(transcript)
            )
        )
    return debates, room


def _natural(asked: ShownQuestion) -> tuple[object, ...]:
    return asked.dataset, *natural_sort_key(asked.id)


def shorten_text(text: str) -> str:
    """Shorten a long text, and say how many characters are left out."""
    if len(text) <= REPLY:
        return text
    return f"{text[:REPLY]}… [{format_things(len(text) - REPLY, 'more character')}]"


def outcome_of(transcript: Transcript) -> str:
    """Return the outcome of a debate: right, wrong, unparsed, failed; open without a key."""
    verdict = transcript.verdict
    if verdict is None:
        return "failed"
    if verdict.answer is None:
        return "unparsed"
    if transcript.question.answer is None:
        return "open"
    return "right" if is_correct(verdict.answer, transcript.question) else "wrong"
