"""The names that a shell completes, each with what it is in a line."""

from collections.abc import Iterable

from moot.cli.console import run_async
from moot.cli.outlines import list_outlines
from moot.datasets.dataset import registry as datasets
from moot.debate.protocol import registry
from moot.studies.lab import open_lab
from moot.studies.sources import list_shipped_names

Names = Iterable[tuple[str, str]]


def list_protocols() -> Names:
    """Return all protocols."""
    return [(each.name, each.summary) for each in list_outlines()[0]]


def list_settings() -> Names:
    """Return the settings of all protocols, as ``--set`` takes them."""
    found = {each.name: each.help for one in registry for each in one.described_settings}
    return [(f"{name}=", about) for name, about in found.items()]


def list_datasets() -> Names:
    """Return all datasets."""
    return [(each.name, each.summary) for each in datasets]


def list_studies() -> Names:
    """Return the studies that come with moot."""
    return [(each, "a study that comes with moot") for each in list_shipped_names()]


def list_runs() -> Names:
    """Return the runs in the store. Raises ``StoreError`` where it cannot be read."""

    async def read() -> list[tuple[str, str]]:
        async with open_lab(None, readonly=True) as lab:
            return [(row.key, row.described_status) for row in lab.store.runs()]

    return run_async(read())
