"""A Ray of our own, started once for this folder; and a database for each test."""

from importlib.util import find_spec

import pytest

from ledger.conftest import asked, open_store
from moot.contrib.cluster.ray_link import HERE, open_ray

__all__ = ["address", "asked", "open_store", "ray"]


@pytest.fixture(scope="package")
async def ray():
    """Ray on this machine, with two CPUs in name; what a test starts with ``ray`` joins it.

    It ends with this folder: a cluster takes 7% of a core while it has nothing to do.
    """
    if find_spec("ray") is None:  # not imported: our own import sets its token first
        pytest.skip("ray is not installed")
    async with open_ray(HERE, 2) as link:
        yield link


@pytest.fixture
def address(postgres):
    """The address of an empty database."""
    return postgres.make_database()
