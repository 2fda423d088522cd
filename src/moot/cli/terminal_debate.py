"""One debate in the terminal: what its command is given, its turns as they come, and its price."""

import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Protocol, Self, TypedDict

import click

from moot.cli.console import (
    DONE,
    FAILED,
    NAMED,
    console,
    exit_after,
    name_command,
    print_json,
    say,
    schema_option,
)
from moot.cli.notices import (
    say_seats,
    warn_same_draws,
    warn_unlimited_replies,
    warn_unshown,
)
from moot.cli.setting_options import (
    CommandFunction,
    add_options,
    budget_options,
    debate_options,
    merge_settings,
    models_option,
    parse_prices,
    parse_tools,
    price_option,
    split_models,
    tool_options,
)
from moot.cli.streams import ReaderGone
from moot.cli.waiting import CallSpinner, DownloadBar
from moot.core.answer import KEYS, Answer, make_answer_schema
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.errors import BudgetReached, InputError
from moot.core.events import (
    Event,
    Failed,
    NodeFinished,
    Noted,
    Opened,
    Searched,
    Seated,
    Transcript,
    Turn,
)
from moot.core.terminal import lend_terminal
from moot.debate.agent_config import MODELS
from moot.models.fetching import report_progress
from moot.models.model_names import ModelName
from moot.reports.event_words import describe_between, explain_empty
from moot.runtime.budget import Budget
from moot.studies.lab import default_model
from moot.studies.question_plan import QuestionPlan, plan_question

EXCERPT = 60
"""Characters shown of a turn without an answer."""

OPTIONS = {
    **{name: f"--{name}" for name in ("protocol", "model", "store", "prompts")},
    "budget": "--max-cost, --max-calls or --max-total-tokens",
    "prices": "--price",
}
"""How what a debate is given, beside the settings, is given on the command line."""

price_options = add_options(
    budget_options,
    price_option,
    click.option("--dry-run", is_flag=True, help="Show what it will take; call nothing."),
)
"""What a debate may cost, and what it will."""
seat_options = add_options(models_option, debate_options, tool_options)
"""Who debates, with which tools, and the settings."""


class DebateDisplay(Protocol):
    """Shows a debate as it goes on. A context manager, called with each event."""

    @property
    def events(self) -> list[Event]:
        """All events so far."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def __call__(self, event: Event) -> None:
        """Show an event."""

    def fetching(self, name: str, done: int, total: int | None, /) -> None:
        """Show how many bytes of a file are done."""

    def pause(self) -> None:
        """Show nothing while a person types."""

    def resume(self) -> None:
        """Show what came meanwhile."""


class StopForm(TypedDict):
    """The JSON of a debate that was stopped: the parameters of ``describe_stop``."""

    shown: Callable[[Transcript], dict[str, Any]]
    keys: Iterable[str]
    when: str
    known: dict[str, Any]


ANSWER: StopForm = {
    "shown": lambda transcript: Answer(transcript=transcript).to_dict(),
    "keys": KEYS,
    "when": "before the debate ended",
    "known": {"text": "", "turns": [], "nodes": []},
}
"""The form of an answer."""


class TerminalDebate:
    """A debate that a command holds.

    Attributes:
        flags: the options of who debates and what it may cost; a decorator of the command.

    Args:
        options: what the command was given, by the names of its parameters; those of
            ``price_options``, of ``seat_options`` or ``debate_options``, ``model`` and ``store``
            are read.
        taken: what is given by options of the command's own and is no setting, with those options.
        as_json: whether it prints one JSON object.
        more_keys: keys of that object beside an answer's; null where the debate was stopped.
        stopped: the form of that object where the debate was stopped.
        write: prints that object.
    """

    flags = staticmethod(add_options(seat_options, price_options))
    price_options = staticmethod(price_options)
    seat_options = staticmethod(seat_options)
    debate_options = staticmethod(debate_options)

    def __init__(
        self,
        options: dict[str, Any],
        taken: dict[str, str],
        *,
        as_json: bool = False,
        more_keys: tuple[str, ...] = (),
        stopped: StopForm = ANSWER,
        write: Callable[[dict[str, Any]], None] = print_json,
    ) -> None:
        self.options, self.taken, self.as_json = options, {**OPTIONS, **taken}, as_json
        self.more_keys = more_keys
        self._stopped, self._write = stopped, write
        self.given: dict[str, Any] = {}

    @staticmethod
    def schema_option(**more: type) -> Callable[[CommandFunction], CommandFunction]:
        """Return the option ``--json-schema`` for what a command prints as JSON.

        Args:
            more: the types of keys beside an answer's.
        """
        return schema_option(lambda: make_answer_schema(more))

    def plan(
        self,
        question: str,
        *,
        set_by: dict[str, Any],
        by: Callable[..., QuestionPlan] | None = None,
        **asked: Any,  # noqa: ANN401 -- as plan_question's
    ) -> QuestionPlan:
        """Return the plan of the debate, checked; say what the user should know of it.

        Args:
            question: what is asked.
            set_by: the settings that options of the command's own have set; None where not given.
            by: makes the plan in place of ``plan_question``, and knows its own usual model.
            asked: what else it takes.
        """
        options = self.options
        seated = split_models(options.get("models"))
        self.given = self._gather_settings({**set_by, "models": seated or None})
        limits = {name: options[f"max_{name}"] for name in ("cost", "calls")}
        budget = Budget().lower(**limits, tokens=options["max_total_tokens"])
        model = options["model"] or next(iter(seated), None)
        usual = {} if model or by is not None else {"model": default_model()}
        plan = (by or plan_question)(
            question,
            settings={**usual, **self.given, **({"model": model} if model else {})},
            budget=budget,
            prices=parse_prices(options["priced"]),
            **asked,
        )
        if seated:
            name = plan.protocol.name
            say_seats({name: plan.settings}, {name: plan.protocol.roles})
        warn_same_draws(plan.arms)
        warn_unshown(plan.arms)
        for told in plan.described:
            say(make_visible(told), err=True)
        warn_unlimited_replies(budget, plan.arms[0].settings)
        return plan

    def _gather_settings(self, set_by: dict[str, Any]) -> dict[str, Any]:
        """Return the settings of ``--set``, ``--agent`` and of the options that are settings."""
        cast = self.options["cast"]
        given = merge_settings(self.options["settings"], cast, self.taken)
        if cast and set_by[MODELS]:
            raise InputError("--models and --agent: give one of the two")
        tools = [self.options.get(name, ()) for name in ("tools", "allowed")]
        set_by["tools"] = parse_tools(*tools) or None
        for name, value in set_by.items():
            if value is not None:
                if name in given:
                    raise InputError(f"--{name} and --set {name}: give one of the two")
                given[name] = value
        if cast and not {"agents", "samples"} & set(given):  # as many agents as are listed
            given["agents"] = given.pop("cast")
        return given

    def foresee(self, plan: QuestionPlan) -> None:
        """Print what the debate will take; call nothing."""
        from moot.cli.estimates import show_forecast  # it rehearses debates: seldom wanted

        show_forecast(plan, self.options["store"], as_json=self.as_json)

    @contextmanager
    def hold(
        self,
        plan: QuestionPlan,
        excerpt: Callable[[Turn], str] | None = None,
        display: DebateDisplay | None = None,
    ) -> Iterator[Coroutine[Any, Any, Answer]]:
        """Show the debate inside the block, a line for each turn, unless as JSON.

        It yields the debate, to be run in the block. Where a budget or Ctrl-C stops it, its JSON
        object is printed before that is raised.

        Args:
            plan: of the debate.
            excerpt: what is shown of a turn without an answer; the beginning of its words if not
                given.
            display: shows the debate in another way.
        """
        shown = display or TurnDisplay(plan, excerpt, quiet=self.as_json)
        began = monotonic()
        model, store = self.options["model"], self.options["store"]
        try:
            with shown, report_progress(shown.fetching), lend_terminal(shown.pause, shown.resume):
                yield plan.answer(model=model, store=store, listen=shown)
        except (BudgetReached, KeyboardInterrupt) as stop:
            if self.as_json:
                with suppress(ReaderGone):
                    self._write(self._describe_stop(shown.events, stop, plan, monotonic() - began))
            raise

    @staticmethod
    def show_command(run: str) -> str:
        """Return the command that shows the transcript of a run."""
        return name_command("show", run)

    def end(self, found: Answer, show: Callable[[], None], *, named: bool, **more: object) -> None:
        """Print the answer and exit; the code says whether it failed, or ``--fail-on`` names it.

        Args:
            found: the answer.
            show: prints it in words.
            named: whether something happened that ``--fail-on`` names.
            more: the values of ``more_keys``.
        """
        with exit_after(FAILED if found.transcript.failed else NAMED if named else DONE):
            if self.as_json:
                print_json({**found.to_dict(), **more})
            else:
                show()
                print_price(found)

    def _describe_stop(
        self, events: list[Event], stop: BaseException, plan: QuestionPlan, seconds: float
    ) -> dict[str, Any]:
        """Return the JSON object of a debate that did not end, with the keys of one that did."""
        known = {"protocol": plan.protocol.name, "settings": self.given, **self._stopped["known"]}
        form: StopForm = {**self._stopped, "known": known}
        told = describe_stop(events, stop, seconds=seconds, **form)
        return {**told, **dict.fromkeys(self.more_keys)}


def describe_stop(
    events: Sequence[Event],
    stop: BaseException,
    shown: Callable[[Transcript], dict[str, Any]],
    keys: Iterable[str],
    *,
    when: str,
    seconds: float,
    known: dict[str, Any],
) -> dict[str, Any]:
    """Return the object for the turns there are, with the keys of a debate that ended by itself.

    Its ``run`` is None: an unfinished debate is not stored. Where nothing happened at all, every
    key that is not in ``known`` is None.

    Args:
        events: all events so far, in any order but that the first comes first.
        stop: the error that stopped it.
        shown: turns a transcript into the object.
        keys: the keys of that object.
        when: the reason for a stop that gives none, e.g. ``"before the debate ended"``.
        seconds: how long it took.
        known: the values that are known where nothing happened at all.
    """
    name = "Interrupted" if isinstance(stop, KeyboardInterrupt) else type(stop).__name__
    why = Failed(kind=name, reason=str(stop) or when, seconds=seconds)
    if any(isinstance(event, Opened) for event in events):
        others = [event for event in events if not isinstance(event, Turn | NodeFinished)]
        turns = sorted((e for e in events if isinstance(e, Turn)), key=lambda turn: turn.id)
        nodes = sorted(
            (e for e in events if isinstance(e, NodeFinished)),
            key=lambda node: (node.place, node.node),
        )
        return {**shown(Transcript((*others, *turns, *nodes, why))), "run": None}
    end = {"seconds": seconds, "failed": f"{why.kind}: {why.reason}"}
    return {**dict.fromkeys(keys), "calls": 0, **known, **end}


class TurnDisplay:
    """Shows a debate as a line for each turn, and in a terminal a spinner. A context manager.

    Lines that come while a person types are printed later.

    Args:
        plan: of the debate.
        excerpt: what is shown of a turn without an answer; the beginning of its words if None.
        quiet: whether no lines are printed.

    Attributes:
        events: all events so far.
    """

    def __init__(
        self, plan: QuestionPlan, excerpt: Callable[[Turn], str] | None, *, quiet: bool
    ) -> None:
        people = ModelName.list_attended(plan.models)
        self._veils = bool(people)  # a person is to read what its own prompt shows and no more
        self._plan, self._excerpt, self._quiet = plan, excerpt, quiet
        self.events: list[Event] = []
        self._helpers = set[int]()
        self._late: list[Event] | None = None
        self._spinner: CallSpinner | None = None
        self._bar: DownloadBar | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._spinner = CallSpinner(self._plan)
        return self

    def __exit__(self, *_: object) -> None:
        if self._spinner is not None:
            self._spinner.stop()
        if self._bar is not None:
            self._bar.close()

    def __call__(self, event: Event) -> None:
        """Show an event."""
        self.events.append(event)
        if isinstance(event, Seated) and not event.seat.debater:
            self._helpers.add(event.seat.number)
        elif isinstance(event, Turn) and self._spinner is not None:
            self._spinner.count()
        if self._late is not None:
            self._late.append(event)
        elif not self._quiet:
            self._print(event)

    def fetching(self, name: str, done: int, total: int | None) -> None:
        """Show how many bytes of a file are done, in place of the spinner."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None
        self._bar = self._bar or DownloadBar()
        self._bar(name, done, total)

    def pause(self) -> None:
        """Show nothing while a person types."""
        self._late = []
        if self._spinner is not None:
            self._spinner.stop()

    def resume(self) -> None:
        """Show what came meanwhile."""
        late, self._late = self._late or [], None
        for event in () if self._quiet else late:
            self._print(event)
        if self._spinner is not None:
            self._spinner.start()

    def _print(self, event: Event) -> None:
        """Print a line for each turn as it comes in.

        Where a person takes part, the step alone is shown of turns that are no answers of debaters.
        """
        if isinstance(event, Turn):
            helps = event.seat in self._helpers
            if event.is_thought_only:
                said = f"({explain_empty(event)})"
            elif self._veils and (helps or not event.votes):
                said = f"({event.step})"
            elif event.answer is not None:
                said = on_one_line(event.answer)
            else:
                said = self._excerpt(event) if self._excerpt else _excerpt(event, helps=helps)
            source = "replayed" if event.replayed else f"{event.seconds:.1f} s"
            sys.stderr.write(f"  round {event.round}  {event.agent:<14} {said}  [{source}]\n")
        elif isinstance(event, Searched):
            sys.stderr.write(f"  {describe_between(event)}  [{len(event.passages)} found]\n")
        elif isinstance(event, Noted):
            sys.stderr.write(f"  {describe_between(event)}\n")


def _excerpt(turn: Turn, *, helps: bool) -> str:
    """Return the beginning of a turn without an answer; that it has none where it should.

    An agent that ``helps``, such as a juror, need not give one.
    """
    begins = on_one_line(turn.text, EXCERPT)
    if (helps or not turn.votes) and begins:
        return f"({turn.step}) {begins}"
    return f"(no answer) {begins}" if begins else "(no answer, and no words)"


def print_price(answer: Answer) -> None:
    """Print what a debate took, and where its transcript is."""
    out = console()
    if answer.simulated:
        out.print("[magenta]simulated: an agent is no language model[/magenta]")
    usage = answer.usage
    told = usage.prompt_tokens is not None and usage.completion_tokens is not None
    tokens = (
        f"{format_count(usage.prompt_tokens)} + {format_things(usage.completion_tokens, 'token')}"
    )
    tokens += f", {format_count(usage.reasoning_tokens)} of them thought" * bool(
        usage.reasoning_tokens
    )
    if silent := sum(turn.is_thought_only for turn in answer.turns):
        replies = "reply has" if silent == 1 else "replies have"
        out.print(
            f"[yellow]{silent} {replies} no text[/yellow]: all tokens went into thought; raise "
            "max_tokens, or lower effort"
        )
    parts = [format_things(answer.calls, "call"), tokens if told else "tokens unknown"]
    parts.append("cost unknown" if answer.cost is None else format_dollars(answer.cost))
    if not answer.calls:
        parts = ["no model answered"]
    parts.append(f"{answer.seconds:.1f} s")
    out.print(f"[dim]{', '.join(parts)}[/dim]")
    out.print(
        f"transcript: {name_command('show', answer.run)}", style="dim", markup=False, soft_wrap=True
    )
