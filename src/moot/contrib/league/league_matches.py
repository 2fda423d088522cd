"""Matches of a league: two debates on a motion with the sides swapped, and what jurors say."""

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from moot import Transcript
from moot.contrib.league.match_ruling import MatchRuling
from moot.extend.protocols import get_reading
from moot.extend.records import DebateRow
from moot.extend.words import name_persona, show_name

PROTOCOL = "debate-match"
SIDES = {"pro": "PRO", "con": "CON"}
EVEN = 1e-9
"""A mean margin nearer to 0 than this is a draw: it comes of rounding."""

Motion = tuple[str, str]
"""The dataset and the id of a motion."""


class SidedDebate(NamedTuple):
    """One debate of a match.

    Attributes:
        motion: what it is about.
        text: the motion's words.
        match: what it has in common with the debate with the sides swapped.
        pro: who argues for the motion.
        con: who argues against it.
        rulings: of each juror; None where it cannot be read.
        left_out: how many jurors did not judge, since they are of a debater's model family.
        kin: whether all judged, though all are of a debater's model family.
        failed: whether it ended without a verdict.
        address: run, arm, dataset, question and replicate.
    """

    motion: Motion
    text: str
    match: tuple[object, ...]
    pro: str
    con: str
    rulings: Mapping[str, MatchRuling | None]
    left_out: int
    kin: bool
    failed: bool
    address: tuple[str, str, str, str, int]

    @property
    def read(self) -> dict[str, MatchRuling]:
        """The rulings that can be read, by juror."""
        return {juror: ruling for juror, ruling in self.rulings.items() if ruling is not None}

    def margin_of(self, player: str, juror: str) -> float:
        """Return the margin that a juror gives a player, below 0 for the other."""
        return self.read[juror].margin_of("PRO" if player == self.pro else "CON")


class LeagueMatch(NamedTuple):
    """A match: one player argues for the motion in the first debate and against it in the second.

    Attributes:
        one: a player.
        other: another one.
        debates: that in which the first argues for the motion, and that in which the other does;
            None for one that was not held.
    """

    one: str
    other: str
    debates: tuple[SidedDebate | None, SidedDebate | None]

    @property
    def held(self) -> list[SidedDebate]:
        """The debates that were held, failed ones included."""
        return [each for each in self.debates if each is not None]

    @property
    def motion(self) -> Motion:
        """What it is about."""
        return self.held[0].motion

    @property
    def lacking(self) -> str:
        """What keeps it from being rated, in words; empty for nothing."""
        if len(self.held) < len(self.debates):
            return "one side not held yet"
        if any(each.failed for each in self.held):
            return "a debate failed"
        return "" if all(each.read for each in self.held) else "no ruling of a debate can be read"

    def score(self, factors: Mapping[str, float]) -> float | None:
        """Return the mean margin of the first player over both debates; None if it is not rated.

        Each debate counts the same, also where fewer of its rulings can be read.

        Args:
            factors: by which the margins of each juror are multiplied.
        """
        if self.lacking:
            return None
        return fmean(
            fmean(factors[juror] * each.margin_of(self.one, juror) for juror in each.read)
            for each in self.held
        )

    def judge_alone(self, juror: str) -> int | None:
        """Return whom a juror finds to have won: 1, -1 for the other, 0 for neither.

        None where it has not judged both debates.
        """
        if self.lacking or not all(juror in each.read for each in self.held):
            return None
        return find_sign(fmean(each.margin_of(self.one, juror) for each in self.held))


def find_sign(margin: float) -> int:
    """Return 1 for a victory, -1 for a defeat, and 0 for a draw."""
    return 0 if abs(margin) < EVEN else 1 if margin > 0 else -1


def read_debates(rows: Iterable[DebateRow], keys: Mapping[int, str]) -> list[SidedDebate]:
    """Return recorded debates as debates on motions.

    Args:
        rows: the recorded debates, all of ``PROTOCOL``.
        keys: of the runs, by their numbers.
    """
    found = [_read_debate(row, row.transcript, keys[row.run]) for row in rows]
    names = _name_players({*(name for each in found for name in (each.pro, each.con))})
    jurors = _name_players({name for each in found for name in each.rulings})
    return [
        each._replace(
            pro=names[each.pro],
            con=names[each.con],
            rulings={jurors[name]: ruling for name, ruling in each.rulings.items()},
        )
        for each in found
    ]


def _read_debate(row: DebateRow, transcript: Transcript, run: str) -> SidedDebate:
    """Return a debate; its players and jurors have the full names of their models."""
    settings, question = transcript.opened.settings, transcript.question
    models = {seat.agent: seat.model for seat in transcript.seats}
    jurors = [seat for seat in transcript.seats if seat.role not in SIDES]
    several = [seat.model for seat in jurors]
    rulings: dict[str, MatchRuling | None] = {}
    for turn in transcript.turns:
        if turn.role not in SIDES:
            model = models[turn.agent]
            name = f"{model} {turn.agent}" if several.count(model) > 1 else model
            rulings[name] = get_reading(turn, question, MatchRuling, "match-ruling")
    own = {"cast", "model", "swapped"}
    rest = {name: value for name, value in settings.items() if name not in own}
    alike = msgspec.json.encode([rest, several], order="sorted")
    kept = [note for note in transcript.notes if note.what == "kept"]
    return SidedDebate(
        motion=(row.dataset, row.question),
        text=question.text,
        match=(row.dataset, row.question, row.replicate, alike),
        pro=_name_player("pro", models, settings),
        con=_name_player("con", models, settings),
        rulings=rulings,
        left_out=len({agent for note in kept for agent in note.agents}),
        kin=any(not note.agents for note in kept),
        failed=transcript.verdict is None,
        address=(
            run,
            row.arm.removesuffix(f" · {run}"),
            row.dataset,
            row.question,
            row.replicate,
        ),
    )


class _PlayerSettings(msgspec.Struct):
    model: str = ""
    cast: list[dict[str, Any]] = []


def _name_player(role: str, models: Mapping[str, str], settings: Mapping[str, Any]) -> str:
    """Return the full name of a side's model, with what else is set for that side alone."""
    own: dict[str, Any] = {}
    given = msgspec.convert(settings, _PlayerSettings)
    for each in given.cast:
        own |= each if each.get("role") == role else {}
    if "persona" in own:
        own["persona"] = name_persona(own["persona"])
    more = [f"{key}={value}" for key, value in own.items() if key not in {"role", "model"}]
    return " ".join([models.get(role, given.model), *([f"({', '.join(more)})"] * bool(more))])


def _name_players(full: set[str]) -> dict[str, str]:
    """Return short names of models without their options, with numbers where two are the same."""
    shown = {}
    for each in sorted(full):
        model, _, more = each.partition(" ")
        shown[each] = f"{show_name(model)} {more}".strip()
    places: dict[str, int] = {}
    named = {}
    for each, name in shown.items():
        places[name] = places.get(name, 0) + 1
        alone = [*shown.values()].count(name) == 1
        named[each] = name if alone else f"{name} #{places[name]}"
    return named


def pair_debates(debates: Iterable[SidedDebate]) -> list[LeagueMatch]:
    """Return the matches of different players, by motion.

    Of several debates alike in all but the run the first counts.
    """
    sides: dict[tuple[tuple[object, ...], str, str], dict[str, SidedDebate]] = {}
    for each in debates:
        if each.pro != each.con:
            one, other = sorted((each.pro, each.con))
            sides.setdefault((each.match, one, other), {}).setdefault(each.pro, each)
    return [
        LeagueMatch(one, other, (held.get(one), held.get(other)))
        for (_, one, other), held in sides.items()
    ]


def weigh_jurors(debates: Iterable[SidedDebate], *, rescaled: bool) -> dict[str, float]:
    """Return for each juror by what its margins are multiplied.

    All margins of the jurors have the same mean size then. It is 1 for a juror that finds a tie
    everywhere, and for all where they are not rescaled.
    """
    sizes: dict[str, list[float]] = {}
    for juror, _, ruling in list_rulings(debates):
        sizes.setdefault(juror, []).append(abs(ruling.margin_of("PRO")))
    means = {juror: fmean(own) for juror, own in sizes.items()}
    whole = fmean(means.values()) if means else 0.0
    return {juror: whole / own if own and rescaled else 1.0 for juror, own in means.items()}


def list_rulings(
    debates: Iterable[SidedDebate],
) -> Iterator[tuple[str, SidedDebate, MatchRuling]]:
    """Yield every ruling that can be read, with its juror and its debate."""
    for each in debates:
        for juror, ruling in each.read.items():
            yield juror, each, ruling
