"""The stages of writing an essay, shown on standard error as they are reached."""

import sys
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Self

from moot import Event, Transcript, Turn
from moot.cli.console import console
from moot.core.display_text import format_duration, format_things, on_one_line
from moot.core.events import Opened, Searched
from moot.essays.essay_parts import STANDS, name_agent
from moot.essays.essay_turns import is_settled, persona_of, pool_in, reading_of, team_in
from moot.essays.plan_outline import EssayPlan
from moot.essays.team import claim_beside

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

NEXT = {
    "personas": "choosing the team",
    "select": "the team discusses",
    "discuss": "the discussion goes on",
    "dialogue": "planning",
    "plan": "writing the essay",
}
"""What usually follows the reply to a prompt."""


class WritingStage(NamedTuple):
    """A stage that was reached.

    Attributes:
        name: e.g. ``"plan"`` or ``"round 1"``.
        words: its result on one line.
        more: further lines, for where there is room.
    """

    name: str
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
    def events(self) -> list[Event]:
        """All events so far."""
        return self._events

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.live import Live

            self._live = Live(
                console=console(err=True),
                refresh_per_second=5,
                transient=True,
                get_renderable=self._show_under_way,
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Record an event, and show the stage that it ends."""
        self._events.append(event)
        self._since = monotonic()
        if self._quiet:
            return
        if (stage := stage_reached(self._events)) is not None:
            self._show(stage)
        if self._live is not None:
            self._live.refresh()  # what is under way now, at once

    def fetching(self, what: str, done: int, total: int | None) -> None:
        """Show that weights are being fetched, which a model does at its first use."""
        share = f" of {total / 1e6:.0f}" if total else ""
        self._fetching = "" if done == total else f"fetching {what}: {done / 1e6:.0f}{share} MB"

    def _show(self, stage: WritingStage) -> None:
        if self._live is None:
            sys.stderr.write(f"  {stage.name:<10} {stage.words}\n")
            return
        from rich.padding import Padding
        from rich.text import Text

        out = self._live.console
        out.print(Text.assemble((f"  {stage.name:<10} ", "bold cyan"), stage.words))
        for more in stage.more:
            out.print(Padding(Text(more, style="dim"), (0, 0, 0, 13)))

    def _show_under_way(self) -> "RenderableType":
        """Return a line for the terminal: the step under way, and its seconds so far."""
        from rich.text import Text

        doing = self._fetching or under_way(self._events)
        return Text(f"  … {doing}, {monotonic() - self._since:.0f} s", style="dim")


def under_way(events: Sequence[Event]) -> str:
    """Return words for the step that follows these events: "planning"."""
    opened = next((event for event in events if isinstance(event, Opened)), None)
    turn = next((event for event in reversed(events) if isinstance(event, Turn)), None)
    if opened is None:
        return "beginning"
    if turn is None:
        return "finding personas" if opened.settings.get("personas") else "at work"
    if turn.step == "personas" and not pool_in(Transcript(tuple(events))):
        return NEXT["select"]
    if turn.step == "challenge":
        is_last = turn.round >= opened.settings.get("rounds", 0)
        is_over = is_last or is_settled(turn, opened.question)
        return "planning" if is_over else NEXT["discuss"]
    return NEXT.get(turn.step, "at work")


def stage_reached(events: Sequence[Event]) -> WritingStage | None:
    """Return the stage that the newest of these events ends; None if it ends none."""
    event = events[-1]
    if isinstance(event, Searched):
        found = format_things(len(event.passages), "passage")
        sources = tuple(on_one_line(passage.source) for passage in event.passages)
        return WritingStage("evidence", f"{found} found", sources)
    if not isinstance(event, Turn):
        return None
    stage = _stage_of(event, Transcript(tuple(events)))
    took = "replayed" if event.replayed else format_duration(event.seconds)
    return stage._replace(words=f"{stage.words}  [{took}]")


def _stage_of(turn: Turn, transcript: Transcript) -> WritingStage:
    words = len(turn.text.split())
    match turn.step:
        case "personas":
            pool = pool_in(transcript)
            parts = (
                (on_one_line(each.description), on_one_line(claim_beside(each))) for each in pool
            )
            more = tuple(": ".join(filter(None, each)) for each in parts)
            return WritingStage(
                "personas", f"{len(pool)} found" if pool else "none can be read", more
            )
        case "select":
            team = team_in(transcript)
            more = tuple(
                f"{on_one_line(each.description)}: {on_one_line(each.reason)}" for each in team
            )
            names = "; ".join(on_one_line(each.description, 40) for each in team)
            return WritingStage("team", names or "no personas", more)
        case "discuss" | "challenge":
            persona = persona_of(turn, team_in(transcript))
            speaker = on_one_line(persona or name_agent(turn.role, turn.agent), 50)
            word = STANDS[turn.step]
            stand = word if is_settled(turn, transcript.question) else f"not yet {word}"
            return WritingStage(f"round {turn.round}", f"{speaker}: {stand}")
        case "plan":
            return _stage_of_plan(reading_of(turn, transcript.question, EssayPlan))
        case "essay":
            return WritingStage("essay", format_things(words, "word") if words else "empty")
        case step:
            return WritingStage(
                on_one_line(step, 10), f"{on_one_line(turn.agent)}, {format_things(words, 'word')}"
            )


def _stage_of_plan(plan: EssayPlan | None) -> WritingStage:
    if plan is None:
        return WritingStage("plan", "cannot be read as one")
    granted = ", something granted" if plan.acknowledgment else ""
    points = tuple(on_one_line(point.text) for point in plan.points)
    return WritingStage("plan", format_things(len(points), "point") + granted, points)
