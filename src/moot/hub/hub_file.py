"""The place of a file on the Hugging Face hub: repository, file and revision."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import quote

from moot.core.errors import InputError

if TYPE_CHECKING:  # imports slowly
    from yarl import URL

ENDPOINT = "https://huggingface.co"
Shelf = Literal["", "datasets/"]
"""Models are at the root of the hub, data sets below ``datasets/``."""

_WORDS = {
    "repo": (re.compile(r"[\w.-]+/[\w.-]+", re.ASCII), "OWNER/NAME, e.g. openai/gsm8k"),
    "file": (re.compile(r"""[^\x00-\x1f\\:*?"<>|]+"""), "a path in it, e.g. main/test.parquet"),
    "revision": (re.compile(r"[\w./-]+", re.ASCII), "a branch, a tag or a commit, e.g. main"),
}


class HubFile(NamedTuple):
    """A file on the hub. ``revision`` is a branch, a tag or a commit."""

    owner: str
    repo: str
    file: str
    revision: str = "main"
    shelf: Shelf = ""

    def url(self) -> "URL":
        """Return its address, at ``HF_ENDPOINT`` or else at the public hub."""
        from yarl import URL

        base = os.environ.get("HF_ENDPOINT") or ENDPOINT
        if not base.startswith(("http://", "https://")):
            raise InputError("HF_ENDPOINT must be an address that begins with https:// or http://")
        path = (
            f"{self.shelf}{self.owner}/{self.repo}/resolve/"
            f"{quote(self.revision, safe='')}/{quote(self.file)}"
        )
        return URL(f"{base.rstrip('/')}/{path}", encoded=True)

    def path_under(self, directory: Path) -> Path:
        """Return its path in a directory of files from the hub."""
        return directory / self.owner / self.repo / quote(self.revision, safe="") / self.file

    def __str__(self) -> str:
        return f"hf:{self.shelf}{self.owner}/{self.repo}/{self.file}@{self.revision}"


def locate_hub_file(repo: str, file: str, revision: str = "main", *, shelf: Shelf = "") -> HubFile:
    """Return the place of a file. Raises ``InputError`` naming which of the three is impossible."""
    for name, value in (("repo", repo), ("file", file), ("revision", revision)):
        form, example = _WORDS[name]
        steps = value.split("/")
        if not form.fullmatch(value) or any(step in {"", ".", ".."} for step in steps):
            raise InputError(f"{name} is {value!r}; write {example}")
    owner, _, called = repo.partition("/")
    return HubFile(owner, called, file, revision, shelf)
