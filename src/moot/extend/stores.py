"""Stores: opening, reading, tables of a package's own, and other databases than SQLite."""

from moot.ledger.migrations import read_changes
from moot.ledger.parts import PartTable, StorePart
from moot.ledger.reader import ListedDebate, RecordedProgress, StoreReader
from moot.ledger.storage import DatabaseFault, StoreConnection, transaction
from moot.ledger.store import RunLedger, Store
from moot.ledger.store_place import StorePlace, describe_place, files_folder, store_error

__all__ = [
    "DatabaseFault",
    "ListedDebate",
    "PartTable",
    "RecordedProgress",
    "RunLedger",
    "Store",
    "StoreConnection",
    "StorePart",
    "StorePlace",
    "StoreReader",
    "describe_place",
    "files_folder",
    "read_changes",
    "store_error",
    "transaction",
]
