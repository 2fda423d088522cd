"""Every command with its help, as the page of the command line shows them."""

import click

from moot.cli.main import moot


def write_manual() -> str:
    """Return every command with its help, in Markdown."""
    parts = []
    root = click.Context(moot, info_name="moot", **moot.context_settings)
    for command, context in _list_commands(moot, root):
        text = command.get_help(context)
        parts.append(f"## `{context.command_path}`\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _list_commands(
    command: click.Command, context: click.Context
) -> list[tuple[click.Command, click.Context]]:
    found = [(command, context)]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            inner = click.Context(child, info_name=name, parent=context, max_content_width=100)
            found += _list_commands(child, inner)
    return found
