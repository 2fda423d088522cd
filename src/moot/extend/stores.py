"""Stores: opening, reading, and another database than SQLite."""

from moot.ledger.account import RunLedger
from moot.ledger.reader import ListedDebate, RecordedProgress, StoreReader
from moot.ledger.store_place import StorePlace, describe_place, files_folder
from moot.ledger.store_runs import StoreRuns

__all__ = [
    "ListedDebate",
    "RecordedProgress",
    "RunLedger",
    "StorePlace",
    "StoreReader",
    "StoreRuns",
    "describe_place",
    "files_folder",
]
