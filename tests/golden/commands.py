"""The help of every command: words alone."""

from golden import packed, surfaces


def make(*, record: bool = False) -> dict[str, packed.Values]:
    """Return the help of every command by its words."""
    return {"words": surfaces.help_of_commands()}
