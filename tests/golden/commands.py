"""The help of every command: words alone."""

from golden import packed, surfaces


def make(*, record: bool = False) -> dict[str, packed.Values]:
    return {"words": surfaces.help_of_commands()}
