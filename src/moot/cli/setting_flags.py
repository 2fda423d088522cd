"""Settings as options: ``--agents 5`` is ``--set agents=5``."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

import click
import msgspec

from moot.debate.protocol import registry as protocols


class SettingCommand(click.Command):
    """A command that takes every setting of a protocol as an option, beside ``--set``.

    ``--setting VALUE`` and ``--setting=VALUE`` set it; a setting that is on or off needs no value:
    ``--chair``, ``--no-chair``. Options of the command's own come first.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with settings in place of options of their names."""
        try:
            return super().parse_args(ctx, [*self._replace_flags(args)])
        except click.NoSuchOption as error:
            known = [f"--{name.replace('_', '-')}" for name in list_settings()]
            close = get_close_matches(error.option_name, known, n=1)
            options = [*close, *(error.possibilities or ())]
            nearest = [*dict.fromkeys(options)][:2]
            raise click.NoSuchOption(error.option_name, possibilities=nearest, ctx=ctx) from None

    def _replace_flags(self, args: list[str]) -> Iterator[str]:
        """Yield the arguments with ``--set name=value`` for options that are settings."""
        own = {
            name: isinstance(each, click.Option) and not (each.is_flag or each.count)
            for each in self.params
            for name in (*each.opts, *each.secondary_opts)
        } | dict.fromkeys(("--help", "-h"), False)
        left = [*args]
        while left:
            given = left.pop(0)
            if given == "--":
                yield from (given, *left)
                return
            name, equals, value = given.partition("=")
            if name in own:
                yield given
                if own[name] and not equals and left:
                    yield left.pop(0)
            elif (setting := find_setting(name)) is None:
                yield given
            else:
                key, on = setting
                if on is None and not equals:
                    if not left:
                        raise click.BadOptionUsage(name, f"Option {name!r} requires an argument.")
                    value = left.pop(0)
                yield from ("--set", f"{key}={value if equals or on is None else on}")


def find_setting(option: str) -> tuple[str, str | None] | None:
    """Return the setting that an option names, and its value if it is on or off; else None."""
    if not option.startswith("--"):
        return None
    settings = list_settings()
    name = option.removeprefix("--").replace("-", "_")
    if name in settings:
        return name, "true" if settings[name] else None
    negated = name.removeprefix("no_")
    return (negated, "false") if negated != name and settings.get(negated) else None


@cache
def list_settings() -> Mapping[str, bool]:
    """Return the settings of all protocols, and of each whether it is on or off wherever it is."""
    found: dict[str, bool] = {}
    for protocol in protocols:
        for field in msgspec.structs.fields(protocol.settings):
            found[field.name] = found.get(field.name, True) and _is_switch(field.type)
    return found


def _is_switch(kind: Any) -> bool:  # noqa: ANN401 -- any type
    info = msgspec.inspect.type_info(kind)
    while isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    return isinstance(info, msgspec.inspect.BoolType)
