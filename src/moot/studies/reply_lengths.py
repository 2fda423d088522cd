"""How long the replies of language models are, and how often they end debates.

What the store knows of a model goes first (``learn_habits``): by step and style, so that debates of
one protocol say something of another that has steps of the same names. Where it knows nothing,
lengths are those of the embedded model (``find_length``), by what a reply is read as.

Replies are of two sorts. Most end by themselves; their lengths are taken to have a gamma
distribution of shape 2. Some repeat themselves until they are cut off: they are the main cost of a
small model without ``max_tokens``. Measured by ``python bench/estimates.py --embedded --lengths``.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from math import exp
from statistics import fmean
from typing import NamedTuple

import msgspec

from moot.core.events import Transcript
from moot.core.stored import StudyRow
from moot.debate.agent_config import models_in
from moot.parsing.parsers import registry as parsers
from moot.studies.lab import Lab

RUNS, DEBATES = 20, 12
"""The latest runs that are looked at, and the debates of each of their arms."""
ENOUGH = 8
"""So many replies, or chances to end a debate, say what is usual."""
OFTEN = 0.1
"""If more of the replies were cut off, they do not tell how long they would be without the cap."""

ReplyKind = tuple[str, str, bool]
"""A style, a step, and whether the agent has read others."""


class Habits:
    """What one model is known to do.

    Attributes:
        replies: how many replies this rests on.
    """

    def __init__(self) -> None:
        self.replies = 0
        self._lengths: dict[ReplyKind, dict[int | None, list[tuple[int, bool]]]] = {}
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

    def length(self, kind: ReplyKind, most: int | None) -> float | None:
        """Return the mean tokens of a reply that is cut off after ``most``; None where unknown.

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
        """Return the share of replies to a step that end a debate early; None where unknown.

        Where little is known of later rounds, or of the first, they are taken to be alike.
        """
        alone = self._ends.get((step, later), [])
        for known in (alone, alone + self._ends.get((step, not later), [])):
            if len(known) >= ENOUGH:
                return fmean(known)
        return None


def _under(replies: list[tuple[int, bool]], cap: int | None, most: int | None) -> Iterator[float]:
    """Yield how long replies with one cap would have been with another, as far as is known."""
    lower = most is not None and (cap is None or cap >= most)
    if lower or fmean(cut for _, cut in replies) <= OFTEN:
        yield from (float(min(tokens, most or tokens)) for tokens, _ in replies)


def learn_habits(lab: Lab, models: Mapping[str, str]) -> dict[str, Habits]:
    """Return the habits of models that the store knows, by the names of their calls.

    Args:
        lab: with the store.
        models: the names of their calls, by those that settings have.
    """
    found = {called: Habits() for called in models.values()}
    for row in lab.store.runs()[:RUNS] if models else ():
        for arm in msgspec.json.decode(row.study, type=StudyRow).arms:
            said = {models[name] for name in models_in(arm.settings) if name in models}
            for each in islice(lab.store.debates(row.id, arm=arm.name), DEBATES) if said else ():
                for model in said:
                    found[model].add(model, each.transcript)
    return found


class ReplyLength(NamedTuple):
    """How long replies of one kind are.

    Attributes:
        typical: mean tokens of those that end by themselves.
        endless: the share of those that do not, 0 to 1.
        even: whether those that end are all about as long.
    """

    typical: float
    endless: float = 0.0
    even: bool = False

    def mean(self, most: int | None) -> float:
        """Return the mean length of replies that are cut off after ``most`` tokens.

        Where nothing cuts them off, endless ones are taken for typical ones.
        """
        if most is None:
            return self.typical
        ended = min(self.typical, most) if self.even else shorten(self.typical, most)
        return (1 - self.endless) * ended + self.endless * most


ALONE = {"simple": ReplyLength(21), "few-shot": ReplyLength(21), "explained": ReplyLength(25)}
"""Of an agent that has read no other, by style."""
OTHERWISE = ReplyLength(85, 0.02)
"""The same in all other styles."""
READING = {"explained": ReplyLength(60, 0.6)}
"""Of an agent that has read others and answers in its own words, by style."""
HAVING_READ = ReplyLength(60, 0.03)
"""The same in all other styles."""
FORMS = {
    "conclusion": ReplyLength(60, 0.15, even=True),
    "evaluation": ReplyLength(30, even=True),
    "opinion": ReplyLength(75, 0.08, even=True),
    "reasoned": ReplyLength(32, even=True),
    "ruling": ReplyLength(50, 0.25, even=True),
}
"""Of a reply that is held to a JSON schema, by what it is read as."""
FORM = ReplyLength(55, 0.05, even=True)
"""The same of all others that are."""


def find_length(style: str, reads_as: str, *, reads: bool) -> ReplyLength:
    """Return the length of a kind of reply of the embedded model, in tokens.

    Args:
        style: in which the agent answers.
        reads_as: what the reply is read as, the name of a parser.
        reads: whether the agent has read others.
    """
    if parsers.get(reads_as).schema is not None:
        return FORMS.get(reads_as, FORM)
    if reads:
        return READING.get(style, HAVING_READ)
    return ALONE.get(style, OTHERWISE)


def shorten(typical: float, most: int) -> float:
    """Return the mean length of replies that are cut off after so many tokens.

    Their lengths are taken to have a gamma distribution of shape 2: few are very short, some are
    more than twice as long as the typical one.
    """
    scale = typical / 2
    return scale * (2 - exp(-most / scale) * (2 + most / scale))
