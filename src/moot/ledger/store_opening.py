"""Open a store, in the database that its place names."""

from importlib import import_module

from moot.core.errors import InputError
from moot.ledger.sqlite_store import Store
from moot.ledger.store_place import StorePlace
from moot.ledger.store_runs import StoreRuns


def open_store(place: StorePlace, *, readonly: bool = False) -> StoreRuns:
    """Open the store in a folder, or in a database of PostgreSQL.

    Args:
        place: as ``moot.ledger.store_place.find_place`` returns it.
        readonly: write nothing.

    Raises:
        InputError: the driver for PostgreSQL is not installed.
        StoreError: the store cannot be opened.
    """
    if not isinstance(place, str):
        return Store.open(place, readonly=readonly)
    try:
        module = import_module(
            "moot.contrib.cluster.postgres_store"
        )  # only now: its driver is an extra
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise
        raise InputError(
            "a store in PostgreSQL needs asyncpg: pip install 'moot[postgresql]'"
        ) from None
    opened: StoreRuns = module.PostgresStore.open(place, readonly=readonly)
    return opened
