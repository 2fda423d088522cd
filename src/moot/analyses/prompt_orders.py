"""Recorded prompts with their times, and in an order of paragraphs of which more can be cached."""

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from moot.core.events import Turn
from moot.core.messages import Message
from moot.core.questions import WITHHELD
from moot.core.stored import DebateRow
from moot.studies.lab import Lab


class RecordedPrompt(NamedTuple):
    """A prompt of a run, with the time at which its debate sent it.

    Attributes:
        debate: the number of its debate, from 0.
        begin: seconds from the beginning of the run, if only replies took time.
        end: when its reply was there.
    """

    debate: int
    turn: Turn
    messages: tuple[Message, ...]
    begin: float
    end: float


def read_prompts(
    lab: Lab, debates: Sequence[DebateRow], at_once: int
) -> list[RecordedPrompt] | None:
    """Return the prompts of debates, timed; None where a prompt is withheld or is not in the store.

    A prompt is sent when all turns that it shows have their replies, and its agent's last turn has.
    A debate begins when one of those before it is done. A reply takes the seconds that are
    recorded, or one second where none are.

    Args:
        lab: whose store has the calls.
        debates: in the order in which they begin.
        at_once: how many are under way together.
    """
    found: list[RecordedPrompt] = []
    ends: list[float] = []
    for number, debate in enumerate(debates):
        start = heappop(ends) if len(ends) >= at_once else 0.0
        done: dict[int, float] = {}
        free: dict[int, float] = {}
        for turn in debate.transcript.turns:
            if turn.is_given:
                continue
            call = lab.store.request(bytes.fromhex(turn.call))
            if call is None or call.messages[-1].content == WITHHELD:
                return None
            before = [done[read] for read in turn.reads if read in done]
            begin = max(start, free.get(turn.seat, start), *before)
            free[turn.seat] = done[turn.id] = begin + (turn.seconds or 1.0)
            found.append(RecordedPrompt(number, turn, call.messages, begin, done[turn.id]))
        heappush(ends, max(done.values(), default=start))
    return found


def reorder_prompts(prompts: Sequence[RecordedPrompt]) -> list[list[str]]:
    """Return the paragraphs of each prompt in an order of which much can be cached.

    A prompt keeps its paragraphs. Of all paragraphs, the one comes first that saves most: its
    length times the prompts that are sent when another prompt with it has its reply. The prompts
    that have it are ordered so again without it, and so are those that do not have it. This is
    greedy; the best of all orders may save more. It does not keep conversations together: it shows
    what a wording could reach, and is no prompt to send.
    """
    rests = [Counter(_split(prompt.messages)) for prompt in prompts]
    found: list[list[str]] = [[] for _ in prompts]
    models = dict.fromkeys(prompt.turn.model for prompt in prompts)
    groups = [
        [place for place, prompt in enumerate(prompts) if prompt.turn.model == model]
        for model in models
    ]
    while groups:
        group = groups.pop()
        chosen = _find_most_saving(prompts, rests, group) if len(group) > 1 else None
        if chosen is None:
            for place in group:
                found[place] += rests[place].elements()
            continue
        having = [place for place in group if chosen in rests[place]]
        for place in having:
            found[place] += [chosen] * rests[place].pop(chosen)
        groups += [having, sorted({*group}.difference(having))]
    return found


def _find_most_saving(
    prompts: Sequence[RecordedPrompt], rests: Sequence[Counter[str]], group: Sequence[int]
) -> str | None:
    """Return the paragraph that saves most characters in a group; None if none saves any."""
    having: dict[str, list[int]] = {}
    for place in group:
        for text in rests[place]:
            having.setdefault(text, []).append(place)
    saved = {
        text: len(text) * _count_later([prompts[place] for place in places])
        for text, places in having.items()
        if len(places) > 1
    }
    best = max(saved, key=lambda text: saved[text], default=None)
    return best if best is not None and saved[best] else None


def _count_later(prompts: Sequence[RecordedPrompt]) -> int:
    """Return how many prompts are sent when another of them has its reply."""
    first = min(prompt.end for prompt in prompts)
    return sum(prompt.begin >= first for prompt in prompts)


def _split(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for paragraph in message.content.split("\n\n"):
            if text := paragraph.strip():
                yield f"{text}\n\n"
