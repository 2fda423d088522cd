"""Questions in any file of any data set on the Hugging Face hub.

    [[datasets]]
    name = "hub"
    repo = "allenai/ai2_arc"
    file = "ARC-Challenge/test-00000-of-00001.parquet"
    columns = { question = "question", choices = "choices.text", answer = "answerKey" }

``moot data fetch hub --set repo=… --set file=…`` gets the file once; nothing is asked of the hub
when it is read. In the library it lies under the commit its revision stood for,

    hub/OWNER/NAME/COMMIT/FILE
    hub/OWNER/NAME/refs/REVISION/FILE.json      which commit that was, and the hash of the file

so what a branch means changes only when the file is fetched again.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote as quoted
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, StoreError, place_errors
from moot.core.files import write_file
from moot.core.questions import KINDS, Question
from moot.datasets import data_files
from moot.datasets.columns import (
    ColumnMapping,
    FirstNumber,
    FixedKind,
    MappedColumns,
    SkipUnreadable,
    read_questions,
)
from moot.datasets.dataset import DownloadProgress, dataset
from moot.hub.download import HubStatement, ask_hub, download_from_hub
from moot.hub.hub_file import HubFile, locate_hub_file


async def download_file(settings: Mapping[str, Any], progress: DownloadProgress) -> Path:
    """Download the file that the dataset's settings name, at what its revision is now.

    A file that is on this machine and named by its commit is not asked for again.

    Raises:
        InputError: the download fails; the text says why.
        StoreError: it cannot be written.
    """
    place = _place(settings)
    try:
        known = _read_note(place)
        if known and known.commit == place.revision and _is_whole(known, _locate(place, known)):
            return _locate(place, known)
        statement = await ask_hub(place)
        path = _locate(place, statement)
        if not _is_whole(statement, path):
            path.parent.mkdir(parents=True, exist_ok=True)
            pinned = place._replace(revision=statement.commit or place.revision)
            await download_from_hub(
                pinned, path, lambda *sizes: progress(place.file, *sizes), statement
            )
        write_file(_note_path(place), msgspec.json.encode(statement))
    except InputError as error:
        raise InputError(f"dataset 'hub': {error}") from None
    except OSError as error:
        raise StoreError(f"{error.filename or place} cannot be written: {error.strerror}") from None
    return path


@dataset(kinds=KINDS, licence="as its card says", obtain=download_file)
def hub(
    *,
    repo: Annotated[str, Meta(description="OWNER/NAME of the data set on the hub")] = "",
    file: Annotated[str, Meta(description="in it: .jsonl, .json, .csv or .parquet")] = "",
    revision: Annotated[str, Meta(description="a branch, a tag or a commit")] = "main",
    columns: MappedColumns = None,
    kind: FixedKind = None,
    first: FirstNumber = None,
    skip_unreadable: SkipUnreadable = False,
) -> Iterator[Question]:
    """Questions in any data set of the Hugging Face hub, fetched once."""
    settings = {"repo": repo, "file": file, "revision": revision}
    place = _place(settings)
    known = _read_note(place)
    path = known and _locate(place, known)
    if not known or not path or not _is_whole(known, path):
        state = "damaged" if path and path.exists() else "not here"
        given = " ".join(f"--set {quoted(f'{key}={value}')}" for key, value in settings.items())
        raise InputError(
            f"dataset 'hub': {place} is {state}; download it with 'moot data fetch hub {given}'"
        )
    mapping = ColumnMapping(
        columns=columns, kind=kind, first=first, skip_unreadable=skip_unreadable
    )
    return read_questions(path, mapping, dataset="hub")


def _place(settings: Mapping[str, Any]) -> HubFile:
    with place_errors("dataset 'hub'"):
        return locate_hub_file(
            settings["repo"], settings["file"], settings["revision"], shelf="datasets/"
        )


def _note_path(place: HubFile) -> Path:
    """Return the path of the note that says which version a revision is."""
    refs = data_files.data_folder() / "hub" / place.owner / place.repo / "refs"
    return refs / quote(place.revision, safe="") / f"{place.file}.json"


def _read_note(place: HubFile) -> HubStatement | None:
    """Return the hub's statement about a file when it was fetched, or None if it never was."""
    try:
        return msgspec.json.decode(_note_path(place).read_bytes(), type=HubStatement)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    except OSError as error:
        raise StoreError(f"{_note_path(place)} cannot be read: {error.strerror}") from None


def _is_whole(statement: HubStatement, path: Path) -> bool:
    try:
        return statement.fits(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None


def _locate(place: HubFile, statement: HubStatement) -> Path:
    """Return the path of a file: below its commit, or its hash if the hub does not say it."""
    version = place._replace(revision=statement.commit or statement.digest)
    return version.path_under(data_files.data_folder() / "hub")
