"""The stages of writing, told as they are reached."""

import sys
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from moot.core.essays import Plan
    from moot.core.events import Event, Transcript, Turn

NEXT = {
    "personas": "choosing the team",
    "select": "the team discusses",
    "discuss": "the discussion goes on",
    "dialogue": "planning",
    "plan": "writing the essay",
}
"""What is under way after the reply to a prompt, as far as that can be told from it."""


class Told(NamedTuple):
    """A stage that was reached.

    Attributes:
        stage: which, e.g. ``"plan"`` or ``"round 1"``.
        words: what it came to, on one line.
        more: in further lines, where there is room for them.
    """

    stage: str
    words: str
    more: tuple[str, ...] = ()


class Stages:
    """Shows stages on standard error; on a terminal also what is under way. A context manager.

    It is called with each event of a debate as it happens, and with ``fetching`` while a model's
    weights are being fetched.

    Args:
        quiet: whether nothing is shown.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._events: list[Event] = []
        self._live: Live | None = None
        self._fetching = ""
        self._since = monotonic()

    @property
    def events(self) -> "list[Event]":
        """All that happened so far."""
        return self._events

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.live import Live

            from moot.cli.console import console

            self._live = Live(
                console=console(err=True),
                refresh_per_second=5,
                transient=True,
                get_renderable=self._now,
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, event: "Event") -> None:
        """Take in what happened, and show it."""
        self._events.append(event)
        self._since = monotonic()
        if self._quiet:
            return
        for told in stages(self._events):
            self._show(told)
        if self._live is not None:
            self._live.refresh()  # what is under way now, at once

    def fetching(self, what: str, done: int, total: int | None) -> None:
        """Show that weights are being fetched, which a model does at its first use."""
        share = f" of {total / 1e6:.0f}" if total else ""
        self._fetching = "" if done == total else f"fetching {what}: {done / 1e6:.0f}{share} MB"

    def _show(self, told: Told) -> None:
        if self._live is None:
            sys.stderr.write(f"  {told.stage:<10} {told.words}\n")
            return
        from rich.padding import Padding
        from rich.text import Text

        out = self._live.console
        out.print(Text.assemble((f"  {told.stage:<10} ", "bold cyan"), told.words))
        for more in told.more:
            out.print(Padding(Text(more, style="dim"), (0, 0, 0, 13)))

    def _now(self) -> "RenderableType":
        """What is under way, and for how long."""
        from rich.text import Text

        doing = self._fetching or under_way(self._events)
        return Text(f"  … {doing}, {monotonic() - self._since:.0f} s", style="dim")


def under_way(events: "Sequence[Event]") -> str:
    """What comes after these events, in words."""
    from moot.core.events import Opened, Transcript, Turn
    from moot.essays import reread

    opened = next((event for event in events if isinstance(event, Opened)), None)
    turn = next((event for event in reversed(events) if isinstance(event, Turn)), None)
    if opened is None:
        return "beginning"
    if turn is None:
        return "finding personas" if opened.settings.get("personas") else "at work"
    if turn.step == "personas" and not reread.pool_in(Transcript(tuple(events))):
        return NEXT["select"]
    if turn.step == "challenge":
        last = turn.round >= opened.settings.get("rounds", 0)
        over = last or reread.settled(turn, opened.question)
        return "planning" if over else NEXT["discuss"]
    return NEXT.get(turn.step, "at work")


def stages(events: "Sequence[Event]") -> "list[Told]":
    """What the newest of these events came to, if it ends a stage."""
    from moot.core.events import Searched, Transcript, Turn
    from moot.core.plain import duration, line, many

    event = events[-1]
    if isinstance(event, Searched):
        found = many(len(event.passages), "passage")
        sources = tuple(line(passage.source) for passage in event.passages)
        return [Told("evidence", f"{found} found", sources)]
    if not isinstance(event, Turn):
        return []
    stage, words, more = _reached(event, Transcript(tuple(events)))
    took = "replayed" if event.replayed else duration(event.seconds)
    return [Told(stage, f"{words}  [{took}]", more)]


def _reached(turn: "Turn", transcript: "Transcript") -> Told:
    """What a turn came to."""
    from moot.core.essays import Plan
    from moot.core.plain import line, many
    from moot.essays import reread
    from moot.essays.essay_parts import STANDS, called
    from moot.essays.team import claimed

    words = len(turn.text.split())
    match turn.step:
        case "personas":
            pool = reread.pool_in(transcript)
            told = ((line(each.description), line(claimed(each))) for each in pool)
            more = tuple(": ".join(filter(None, each)) for each in told)
            return Told("personas", f"{len(pool)} found" if pool else "none can be read", more)
        case "select":
            team = reread.team_in(transcript)
            more = tuple(f"{line(each.description)}: {line(each.reason)}" for each in team)
            names = "; ".join(line(each.description, 40) for each in team)
            return Told("team", names or "no personas", more if team else ())
        case "discuss" | "challenge":
            persona = reread.persona_of(turn, reread.team_in(transcript))
            who = line(persona or called(turn.role, turn.agent), 50)
            stands = reread.settled(turn, transcript.question)
            word = STANDS[turn.step]
            return Told(f"round {turn.round}", f"{who}: {word if stands else f'not yet {word}'}")
        case "plan":
            return _planned(reread.told(turn, transcript.question, Plan))
        case "essay":
            return Told("essay", many(words, "word") if words else "empty")
        case step:
            return Told(line(step, 10), f"{line(turn.agent)}, {many(words, 'word')}")


def _planned(plan: "Plan | None") -> Told:
    from moot.core.plain import line, many

    if plan is None:
        return Told("plan", "cannot be read as one")
    granted = ", something granted" if plan.acknowledgment else ""
    points = tuple(line(point.text) for point in plan.points)
    return Told("plan", many(len(points), "point") + granted, points)
