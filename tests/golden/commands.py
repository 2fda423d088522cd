"""The help of every command: words alone."""

from pathlib import Path

from golden import packed, surfaces


def make(*, record: bool = False) -> dict[str, packed.Values]:
    """Return the help of every command by its words."""
    place = Path.cwd()
    trees = surfaces.command_tree()
    words = {
        " ".join(("moot", *each)): surfaces.run_command(place, *each, "--help") for each in trees
    }
    return {"words": words}
