"""What the store knows of a model: how long its replies are, and how often it ends a debate.

It is told by step, so that debates of one protocol say something of another that has steps of the
same name in the same style.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from statistics import fmean

import msgspec

from moot.core.events import Transcript
from moot.core.stored import StudyRow
from moot.debate.cast import speaking
from moot.studies.lab import Lab

RUNS, DEBATES = 20, 12
"""The latest runs that are looked at, and the debates of each of their arms."""
ENOUGH = 8
"""So many replies, or chances to end a debate, say what is usual."""
OFTEN = 0.1
"""If more of the replies were cut off, they do not tell how long they would be without the cap."""

Kind = tuple[str, str, bool]
"""A style, a step, and whether the agent has read others."""


class Habits:
    """What one model is known to do.

    Attributes:
        replies: how many replies this rests on.
    """

    def __init__(self) -> None:
        self.replies = 0
        self._lengths: dict[Kind, dict[int | None, list[tuple[int, bool]]]] = {}
        self._ends: dict[tuple[str, bool], list[bool]] = defaultdict(list)

    def add(self, model: str, transcript: Transcript) -> None:
        """Take in what the model said in a debate."""
        settings = transcript.opened.settings
        style, most = str(settings["style"]), settings["max_tokens"]
        last = max((turn.id for turn in transcript.turns), default=0)
        for turn in transcript.turns:
            if turn.model != model or turn.completion_tokens is None:
                continue
            self.replies += 1
            kind = style, turn.step, bool(turn.reads)
            found = self._lengths.setdefault(kind, defaultdict(list))
            found[most].append((turn.completion_tokens, turn.finish == "length"))
            if turn.round != settings.get("rounds"):  # after the last round it ends in any case
                self._ends[turn.step, turn.round > 1].append(turn.id == last)

    def length(self, kind: Kind, most: int | None) -> float | None:
        """The mean tokens of a reply that is cut off after ``most``; None where that is unknown.

        Args:
            kind: of reply.
            most: None for no ``max_tokens``.
        """
        known = self._lengths.get(kind, {})
        same = known.get(most, [])
        if len(same) >= ENOUGH:
            return fmean(tokens for tokens, _ in same)
        usable = [tokens for cap, each in known.items() for tokens in _under(each, cap, most)]
        return fmean(usable) if len(usable) >= ENOUGH else None

    def ends(self, step: str, *, later: bool) -> float | None:
        """The share of replies to a step that end a debate of more rounds; None where unknown.

        Where little is known of later rounds, or of the first, they are taken to be alike.
        """
        alone = self._ends.get((step, later), [])
        for known in (alone, alone + self._ends.get((step, not later), [])):
            if len(known) >= ENOUGH:
                return fmean(known)
        return None


def _under(replies: list[tuple[int, bool]], cap: int | None, most: int | None) -> Iterator[float]:
    """How long replies with one cap would have been with another, as far as they tell."""
    lower = most is not None and (cap is None or cap >= most)
    if lower or fmean(cut for _, cut in replies) <= OFTEN:
        yield from (float(min(tokens, most or tokens)) for tokens, _ in replies)


def learn(lab: Lab, models: Mapping[str, str]) -> dict[str, Habits]:
    """What the store knows of models, by the names of their calls.

    Args:
        lab: with the store.
        models: the names of their calls, by those that settings have.
    """
    found = {called: Habits() for called in models.values()}
    for row in lab.store.runs()[:RUNS] if models else ():
        for arm in msgspec.json.decode(row.study, type=StudyRow).arms:
            said = {models[name] for name in speaking(arm.settings) if name in models}
            for each in islice(lab.store.debates(row.id, arm=arm.name), DEBATES) if said else ():
                for model in said:
                    found[model].add(model, each.transcript)
    return found
