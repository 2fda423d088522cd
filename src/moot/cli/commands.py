"""The commands of ``moot``, each of which is imported when it is used.

A command is named by where it is: ``module:attribute``, as in an entry point. moot's own are in a
table with their short help, so that ``moot --help`` imports none of them. Other packages add
theirs by an entry point in the group ``moot.commands``, which names the command, or a
``CommandPlace`` with its short help. Where it names the command, a list of commands imports it.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import click

from moot.core.entry_points import EntryPoint, find_entry_points
from moot.core.errors import InputError

GROUP = "moot.commands"
"""The group of entry points that adds commands."""


MORE, PLUGINS = "More", "Of other packages"
"""The headings of commands that are named without their help, and of those that name no group."""


class CommandPlace(NamedTuple):
    """Where a command is, and what a list of commands says of it.

    Attributes:
        value: the module and the attribute of the command, ``module:attribute``.
        summary: the short help; empty to read it from the command.
        extra: the extra of moot that the module needs; empty if it needs none.
        group: the heading under which a command of another package is shown, ``"More"`` for its
            name alone; empty for that of other packages.
        follows: the setting by which a run is one of which the command tells more; empty for none.
    """

    value: str
    summary: str = ""
    extra: str = ""
    group: str = ""
    follows: str = ""


class CommandGroup(click.Group):
    """A group whose commands are imported when they are used.

    Args:
        places: where the own commands are, by name.
        groups: the commands that are shown with their help, by headings; the others are named in a
            line. All under one heading if not given.
        settings: of ``click.Group``.
    """

    def __init__(
        self,
        *,
        places: Mapping[str, CommandPlace],
        groups: Mapping[str, Sequence[str]] | None = None,
        **settings: Any,  # noqa: ANN401 -- as click has them
    ) -> None:
        super().__init__(**settings)
        self._own, self._groups = places, groups

    @cached_property
    def _foreign(self) -> dict[str, EntryPoint]:
        """The commands of other packages, by name; the first on the path of those of one name."""
        return {each.name: each for each in reversed(find_entry_points(GROUP))}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted({*super().list_commands(ctx), *self._own, *self._foreign})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a name; None if no command has it.

        Raises:
            InputError: the command cannot be imported.
        """
        if cmd_name not in self.commands:
            if (own := self._own.get(cmd_name)) is not None:
                self.add_command(_load_command(cmd_name, own), cmd_name)
            elif (foreign := self._foreign.get(cmd_name)) is not None:
                found = _load_foreign(foreign)
                if isinstance(found, CommandPlace):
                    found = _load_command(cmd_name, found)
                self.add_command(found, cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first argument. A name that is none suggests the nearest."""
        from difflib import get_close_matches

        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            close = get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f"Did you mean {close[0]!r}?" if close else "moot --help lists them."
            ctx.fail(f"No such command {name!r}. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands with their short help, and which of a plug-in are not used."""
        names = self.list_commands(ctx)
        groups = self._group(names)
        shown = [name for listed in groups.values() for name in listed]
        longest = max(map(len, shown), default=0)
        width = formatter.width - 6 - longest
        for heading, listed in groups.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(f"{name:<{longest}}", self._summarise(name, width)) for name in listed]
                )
        if others := [name for name in names if name not in shown]:
            with formatter.section(MORE):
                formatter.write_text(", ".join(others))
        for name in self._foreign.keys() & self._own.keys():
            place = self._foreign[name].value
            formatter.write_paragraph()
            formatter.write_text(f"Command {name!r} of {place} is not used: moot has one.")

    def _group(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the commands that are shown with their help, by headings."""
        if self._groups is None:
            return {"Commands": [*names]}
        groups = {heading: [*listed] for heading, listed in self._groups.items()}
        for name in sorted(self._foreign.keys() - self._own.keys()):
            heading = PLUGINS
            with suppress(InputError):
                found = _load_foreign(self._foreign[name])
                heading = (isinstance(found, CommandPlace) and found.group) or PLUGINS
            if heading != MORE:
                groups.setdefault(heading, []).append(name)
        return groups

    def _summarise(self, name: str, width: int) -> str:
        """Return the short help of a command, in at most ``width`` characters."""
        found = self.commands.get(name) or self._own.get(name)
        if found is None:
            try:
                found = _load_foreign(self._foreign[name])
            except InputError as error:
                return str(error)
        if isinstance(found, CommandPlace):
            found = click.Command(name, help=found.summary)
        return found.get_short_help_str(width)


def list_followers(settings: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the commands of packages that tell more of a run, by the settings of its arms."""
    known, names = set().union(*settings), []
    for entry in find_entry_points(GROUP):
        with suppress(InputError):
            found = _load_foreign(entry)
            if isinstance(found, CommandPlace) and found.follows in known:
                names.append(entry.name)
    return sorted(names)


def _load_command(name: str, place: CommandPlace) -> click.Command:
    """Import a command.

    Raises:
        InputError: a library that it needs is not installed.
    """
    try:
        found = EntryPoint("", place.value).load()
    except ModuleNotFoundError as error:
        if not place.extra:
            raise
        raise InputError(
            f"moot {name} needs {error.name}, which is not installed: "
            f"pip install 'moot[{place.extra}]'"
        ) from None
    if not isinstance(found, click.Command):
        raise TypeError(f"{place.value} is not a command of click")
    return found


def _load_foreign(entry: EntryPoint) -> click.Command | CommandPlace:
    """Import what the entry point of another package names: a command, or its place.

    Raises:
        InputError: it cannot be imported, or it is neither.
    """
    try:
        found = entry.load()
        if not isinstance(found, click.Command | CommandPlace):
            raise TypeError(f"{entry.value} is not a command of click")  # noqa: TRY301 -- as any other
    except Exception as error:  # noqa: BLE001 -- one must not stop the rest
        message = f"command {entry.name!r} cannot be loaded: {type(error).__name__}: {error}"
        raise InputError(f"{message} ({entry.value})") from None
    return found
