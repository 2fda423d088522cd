"""Stores: opening, reading, tables of a package's own, and other databases than SQLite."""

from moot.core.stored import Session
from moot.ledger.database import Do, Record, Save, databases
from moot.ledger.lookup import Lookup
from moot.ledger.migrations import make_changes, read_changes
from moot.ledger.parts import PartTable, StorePart, store_parts
from moot.ledger.reader import ListedDebate, RecordedProgress, StoreReader
from moot.ledger.sessions import Sessions
from moot.ledger.storage import DatabaseFault, StoreConnection, transaction
from moot.ledger.store import RunLedger, Store
from moot.ledger.store_place import StorePlace, describe_place, files_folder, store_error
from moot.ledger.stored_records import read_outcome

__all__ = [
    "DatabaseFault",
    "Do",
    "ListedDebate",
    "Lookup",
    "PartTable",
    "Record",
    "RecordedProgress",
    "RunLedger",
    "Save",
    "Session",
    "Sessions",
    "Store",
    "StoreConnection",
    "StorePart",
    "StorePlace",
    "StoreReader",
    "databases",
    "describe_place",
    "files_folder",
    "make_changes",
    "read_changes",
    "read_outcome",
    "store_error",
    "store_parts",
    "transaction",
]
