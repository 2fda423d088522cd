"""The stages of writing an essay, shown on standard error as they are reached."""

import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Self

from moot import Event, Transcript, Turn
from moot.contrib.essays.essay_parts import STANDS, name_agent
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.persona_lists import Persona
from moot.contrib.essays.plan_outline import EssayPlan
from moot.contrib.essays.team import claim_beside
from moot.contrib.essays.text_measures import words as count_words
from moot.contrib.essays.written import Written, describe_essay
from moot.extend.records import Opened, Searched
from moot.extend.terminal import console
from moot.extend.words import format_duration, format_things, on_one_line

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
"""The prompt that usually follows the reply to a prompt."""


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
        self._unseen: list[WritingStage] | None = None

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
        stage = stage_reached(self._events)
        if self._unseen is not None:
            self._unseen += [stage] if stage else []
            return
        if stage is not None:
            self._show(stage)
        if self._live is not None:
            self._live.refresh()  # what is under way now, at once

    def pause(self) -> None:
        """Show nothing while a person types."""
        self._unseen = []
        if self._live is not None:
            self._live.stop()

    def resume(self) -> None:
        """Show the stages that were reached meanwhile, and what is under way."""
        late, self._unseen = self._unseen or [], None
        if self._live is not None:
            self._live.start()
        for stage in late:
            self._show(stage)

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
        asked = EssaySettings.read(opened.settings)
        finds = asked.personas and not asked.people
        return "finding personas" if finds else "at work"
    written = describe_essay(Transcript(tuple(events)))
    if turn.step == "personas" and not written.pool:
        return NEXT["select"]
    if turn.step == "challenge":
        is_last = turn.round >= EssaySettings.read(opened.settings).rounds
        return "planning" if is_last or written.dialogue[-1].settled else NEXT["discuss"]
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
    stage = _stage_of(event, describe_essay(Transcript(tuple(events))))
    took = "replayed" if event.replayed else format_duration(event.seconds)
    took = "given" if event.is_given else took
    return stage._replace(words=f"{stage.words}  [{took}]")


def _stage_of(turn: Turn, written: Written) -> WritingStage:
    words = format_things(count_words(turn.text), "word")
    match turn.step:
        case "personas":
            found = f"{len(written.pool)} found" if written.pool else "none can be read"
            return WritingStage("personas", found, _name_all(written.pool, claim_beside))
        case "select":
            names = "; ".join(on_one_line(each.description, 40) for each in written.personas)
            more = _name_all(written.personas, lambda each: each.reason)
            return WritingStage("team", names or "no personas", more)
        case "discuss" | "challenge":
            last, stand = written.dialogue[-1], STANDS[turn.step]
            speaker = on_one_line(last.persona or name_agent(last.role, last.agent), 50)
            said = f"{speaker}: {stand if last.settled else f'not yet {stand}'}"
            return WritingStage(f"round {turn.round}", said)
        case "plan":
            return _stage_of_plan(written.plan)
        case "essay" | "fit":
            name = "essay" if turn.step == "essay" else "length"
            return WritingStage(name, words if turn.text.strip() else "empty")
        case step:
            return WritingStage(on_one_line(step, 10), f"{on_one_line(turn.agent)}, {words}")


def _name_all(personas: Sequence[Persona], beside: Callable[[Persona], str]) -> tuple[str, ...]:
    """Return a line for each persona: its description, and what stands beside it."""
    parts = ((each.description, beside(each)) for each in personas)
    return tuple(": ".join(map(on_one_line, filter(None, each))) for each in parts)


def _stage_of_plan(plan: EssayPlan | None) -> WritingStage:
    if plan is None:
        return WritingStage("plan", "cannot be read as one")
    points = tuple(on_one_line(point.text) for point in plan.points)
    granted = ", something granted" if plan.acknowledgment else ""
    return WritingStage("plan", format_things(len(points), "point") + granted, points)
