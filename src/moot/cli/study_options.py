"""The options of the commands that run a study, or go on with one."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple

import click
import msgspec

from moot.cli.console import (
    complete_study,
    console,
    end_command,
    json_option,
    name_command,
    store_option,
    wait_option,
)
from moot.cli.notices import report_kept_models
from moot.cli.setting_options import add_options, budget_options, parse_prices, price_option
from moot.core.display_text import make_visible
from moot.core.errors import InputError
from moot.core.stored import Arm
from moot.models.prices import Price
from moot.studies.drivers import HERE
from moot.studies.lab import default_model
from moot.studies.study import Study


def _take_one(_: click.Context, __: click.Parameter, models: tuple[str, ...]) -> str | None:
    """Return the model that is given, or None. Raises ``InputError`` for two."""
    if len(models) > 1:
        raise InputError(
            f"--model is given {len(models)} times: {', '.join(models)}; give one; --models A,B of "
            "moot run gives several to the seats, in turn"
        )
    return next(iter(models), None)


class StudyOptions(NamedTuple):
    """The options of a command that runs a study, or goes on with one.

    Attributes:
        limit: the most questions of each dataset; None for no limit.
        model: the model of arms that name none; None for the default.
        max_cost: the most that it may cost in US dollars; None for no cap besides the study's.
        max_calls: the most calls that it may pay for, as ``max_cost``.
        max_total_tokens: the most tokens that it may take in all, as ``max_cost``.
        priced: prices, as ``settings.prices`` takes them.
        dry_run: whether nothing is called.
        yes: whether it starts without asking.
        wait: whether it waits for another process that runs the same.
        ray: the address of the cluster that runs the debates; an empty text for workers on this
            machine; None for this process.
        workers: how many workers there are; None for as many as the cluster has CPUs.
        store: the store's folder; None for the default.
        as_json: whether JSON is printed.
    """

    limit: int | None
    model: str | None
    max_cost: float | None
    max_calls: int | None
    max_total_tokens: int | None
    priced: tuple[str, ...]
    dry_run: bool
    yes: bool
    wait: bool
    ray: str | None
    workers: int | None
    store: str | None
    as_json: bool

    @property
    def usual_model(self) -> str:
        """The model of arms that name none."""
        return self.model or default_model()

    @property
    def prices(self) -> dict[str, Price]:
        """The stated prices by the names of models. Raises ``InputError`` for what is none."""
        return parse_prices(self.priced)

    def apply(self, study: Study) -> Study:
        """Return the study with these prices besides its own, and the lower caps."""
        study = msgspec.structs.replace(study, prices={**study.prices, **self.prices})
        return study.cap(cost=self.max_cost, calls=self.max_calls, tokens=self.max_total_tokens)

    @staticmethod
    def study(command: Callable[..., None]) -> Callable[..., None]:
        """Give a command the argument of the study."""
        return click.argument("study", shell_complete=complete_study)(command)

    def report_kept_models(self, arms: Sequence[Arm]) -> dict[str, list[str]]:
        """Say on standard error which models ``--model`` does not replace; return their arms."""
        return report_kept_models(arms, self.model)

    def end(self, found: object, show: Callable[[], None], code: int) -> None:
        """Print what the command has found, as JSON or by ``show``, and exit with this code."""
        end_command(found, show, code, as_json=self.as_json)

    @staticmethod
    def print_more(**named: str) -> None:
        """Name the commands that tell more, each of a run."""
        more = "  ·  ".join(name_command(name, run) for name, run in named.items())
        console().print(make_visible(more), markup=False, style="dim", soft_wrap=True)

    @staticmethod
    def flags(
        *,
        limit: str = "The most questions of each dataset.",
        yes: str = "Start without asking, whatever the estimate.",
        dry_run: bool = True,
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Return a decorator that gives a command ``StudyOptions``, as the argument ``terms``.

        Args:
            limit: help for ``--limit``.
            yes: help for ``--yes``.
            dry_run: whether there is an option ``--dry-run``.
        """
        dry = click.option(
            "--dry-run", is_flag=True, help="Show the plan and its estimate; call nothing."
        )
        options = (
            click.option("--limit", type=int, help=limit),
            click.option(
                "--model",
                multiple=True,
                callback=_take_one,
                help="The model of methods that name none.",
            ),
            budget_options,
            price_option,
            *([dry] if dry_run else []),
            click.option("--yes", is_flag=True, help=yes),
            wait_option,
            click.option(
                "--ray",
                metavar="[ADDRESS]",
                is_flag=False,
                flag_value=HERE,
                help="Workers of a Ray cluster run it; without ADDRESS, workers on this machine.",
            ),
            click.option("--workers", type=int, help="How many; one for each CPU, if not given."),
            store_option,
            json_option,
        )

        def decorate(command: Callable[..., None]) -> Callable[..., None]:
            @wraps(command)
            def wrapper(**given: Any) -> None:  # noqa: ANN401 -- values of options
                given = {"dry_run": False, **given}
                terms = StudyOptions(**{name: given.pop(name) for name in StudyOptions._fields})
                command(**given, terms=terms)

            return add_options(*options)(wrapper)

        return decorate
