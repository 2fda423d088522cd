"""One debate in the terminal: what its command is given, its turns as they come, and its price."""

import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

import click

from moot.cli.call_spinner import CallSpinner
from moot.cli.console import (
    DONE,
    FAILED,
    NAMED,
    console,
    end_command,
    name_command,
    print_json,
    run_async,
    schema_option,
)
from moot.cli.download_bar import show_download
from moot.cli.estimates import show_estimate
from moot.cli.notices import say_seats, warn_same_draws, warn_unlimited_replies
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
from moot.cli.stop_object import describe_stop
from moot.cli.streams import ReaderGone
from moot.cli.terminal_people import ask_in_terminal
from moot.core.answer import KEYS, Answer
from moot.core.answer_schema import make_answer_schema
from moot.core.display_text import format_count, format_dollars, format_things, on_one_line
from moot.core.errors import BudgetReached, InputError
from moot.core.events import Event, Noted, Searched, Seated, Turn
from moot.debate.agent_config import MODELS, models_in
from moot.models.human import list_people
from moot.models.weights import report_progress
from moot.reports.transcript import describe_between, explain_empty
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


class TerminalDebate:
    """A debate that a command holds.

    Attributes:
        flags: the options of who debates and what it may cost; a decorator of the command.

    Args:
        options: what the command was given, by the names of its parameters; those of
            ``seat_options`` and ``price_options``, ``model`` and ``store`` are read.
        taken: what is given by options of the command's own and is no setting, with those options.
        as_json: whether it prints one JSON object.
        more_keys: keys of that object beside an answer's; null where the debate was stopped.
    """

    flags = staticmethod(add_options(seat_options, price_options))

    def __init__(
        self,
        options: dict[str, Any],
        taken: dict[str, str],
        *,
        as_json: bool = False,
        more_keys: tuple[str, ...] = (),
    ) -> None:
        self.options, self.taken, self.as_json = options, {**OPTIONS, **taken}, as_json
        self.more_keys = more_keys
        self.given: dict[str, Any] = {}

    @staticmethod
    def schema_option(**more: type) -> Callable[[CommandFunction], CommandFunction]:
        """Return the option ``--json-schema`` for what a command prints as JSON.

        Args:
            more: the types of keys beside an answer's.
        """
        return schema_option(lambda: make_answer_schema(more))

    def plan(self, question: str, *, set_by: dict[str, Any], **asked: Any) -> QuestionPlan:  # noqa: ANN401 -- as plan_question's
        """Return the plan of the debate, checked; say what the user should know of it.

        Args:
            question: what is asked.
            set_by: the settings that options of the command's own have set; None where not given.
            asked: what else ``plan_question`` takes.
        """
        options = self.options
        seated = split_models(options["models"])
        self.given = self._gather_settings({**set_by, "models": seated or None})
        limits = {name: options[f"max_{name}"] for name in ("cost", "calls")}
        budget = Budget(**limits, tokens=options["max_total_tokens"])
        model = options["model"] or next(iter(seated), default_model())
        plan = plan_question(
            question,
            settings={**self.given, "model": model},
            budget=budget,
            prices=parse_prices(options["priced"]),
            **asked,
        )
        if seated:
            name = plan.protocol.name
            say_seats({name: plan.settings}, {name: plan.protocol.roles})
        warn_same_draws({plan.protocol.name: (plan.protocol.name, plan.settings)})
        warn_unlimited_replies(budget, plan.settings)
        return plan

    def _gather_settings(self, set_by: dict[str, Any]) -> dict[str, Any]:
        """Return the settings of ``--set``, ``--agent`` and of the options that are settings."""
        cast = self.options["cast"]
        given = merge_settings(self.options["settings"], cast, self.taken)
        if cast and set_by[MODELS]:
            raise InputError("--models and --agent: give one of the two")
        set_by["tools"] = parse_tools(self.options["tools"], self.options["allowed"]) or None
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
        with ask_in_terminal():
            forecast = run_async(plan.foresee(self.options["store"]))
        show_estimate(forecast.estimate, forecast.not_ready, as_json=self.as_json)

    def hold(self, plan: QuestionPlan, excerpt: Callable[[Turn], str] | None = None) -> Answer:
        """Hold the debate and return its answer; print a line for each turn, unless as JSON.

        Where a budget or Ctrl-C stops it, its JSON object is printed before that is raised.

        Args:
            plan: of the debate.
            excerpt: what is shown of a turn without an answer; the beginning of its words if not
                given.
        """
        people = list_people(models_in(plan.settings))
        lines = TurnLines(excerpt, quiet=self.as_json, veils=bool(people))
        began = monotonic()
        model, store = self.options["model"], self.options["store"]
        try:
            with show_download() as bar, CallSpinner(plan, bar) as spinner:

                def listen(event: Event) -> None:
                    spinner.count(event)
                    lines.add(event)

                def pause() -> None:
                    lines.pause()
                    spinner.pause()

                def resume() -> None:
                    lines.resume()
                    spinner.resume()

                with report_progress(spinner.download), ask_in_terminal(pause, resume):
                    return run_async(plan.answer(model=model, store=store, listen=listen))
        except (BudgetReached, KeyboardInterrupt) as stop:
            if self.as_json:
                with suppress(ReaderGone):
                    print_json(self._describe_stop(lines.events, stop, plan, monotonic() - began))
            raise

    def end(self, found: Answer, show: Callable[[], None], *, named: bool, **more: object) -> None:
        """Print the answer and exit; the code says whether it failed, or ``--fail-on`` names it.

        Args:
            found: the answer.
            show: prints it in words.
            named: whether something happened that ``--fail-on`` names.
            more: the values of ``more_keys``.
        """

        def show_all() -> None:
            show()
            print_price(found)

        code = FAILED if found.failed else NAMED if named else DONE
        end_command({**found.to_dict(), **more}, show_all, code, as_json=self.as_json)

    def _describe_stop(
        self, events: list[Event], stop: BaseException, plan: QuestionPlan, seconds: float
    ) -> dict[str, Any]:
        """Return the JSON object of a debate that did not end, with the keys of one that did."""
        known = {"text": "", "protocol": plan.protocol.name, "settings": self.given}
        told = describe_stop(
            events,
            stop,
            lambda transcript: Answer(transcript=transcript).to_dict(),
            KEYS,
            when="before the debate ended",
            seconds=seconds,
            known={**known, "turns": [], "nodes": []},
        )
        return {**told, **dict.fromkeys(self.more_keys)}


class TurnLines:
    """Prints a line for each turn as it comes in; those that come while a person types, later.

    Args:
        excerpt: what is shown of a turn without an answer; the beginning of its words if None.
        quiet: whether nothing is printed.
        veils: whether of turns that are no answers of debaters the step alone is shown: a person
            takes part, who is to read what its own prompt shows and no more.

    Attributes:
        events: all events so far.
    """

    def __init__(
        self, excerpt: Callable[[Turn], str] | None, *, quiet: bool, veils: bool = False
    ) -> None:
        self.events: list[Event] = []
        self._veils = veils
        self._excerpt, self._quiet = excerpt or self._shorten, quiet
        self._helpers = set[int]()
        self._late: list[Event] | None = None

    def add(self, event: Event) -> None:
        """Record an event, and print its line."""
        self.events.append(event)
        if isinstance(event, Seated) and not event.seat.debater:
            self._helpers.add(event.seat.number)
        if self._late is not None:
            self._late.append(event)
        elif not self._quiet:
            _show(event, self._say)

    def pause(self) -> None:
        """Print nothing while a person types."""
        self._late = []

    def resume(self) -> None:
        """Print what came meanwhile."""
        late, self._late = self._late or [], None
        for event in () if self._quiet else late:
            _show(event, self._say)

    def _say(self, turn: Turn) -> str:
        """Return what is shown of a turn."""
        if self._veils and (turn.seat in self._helpers or not turn.votes):
            return f"({turn.step})"
        return self._excerpt(turn) if turn.answer is None else on_one_line(turn.answer)

    def _shorten(self, turn: Turn) -> str:
        return _excerpt(turn, helps=turn.seat in self._helpers)


def _show(event: Event, say: Callable[[Turn], str]) -> None:
    """Print a line for each turn as it comes in."""
    if isinstance(event, Turn):
        said = say(event)
        if event.is_thought_only:
            said = f"({explain_empty(event)})"
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
    parts += [format_dollars(answer.cost), f"{answer.seconds:.1f} s"]
    out.print(f"[dim]{', '.join(parts)}[/dim]")
    shown = name_command("show", answer.run)
    out.print(f"transcript: {shown}", style="dim", markup=False, soft_wrap=True)
