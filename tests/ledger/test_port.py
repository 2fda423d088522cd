"""The store in SQLite has every member of the port, with the same parameters."""

import inspect

import pytest

from moot.core import ports
from moot.ledger.leases import Lease
from moot.ledger.sqlite_store import Store

PORTS = [
    *((ports.Ledger, Store, name) for name in vars(ports.Ledger) if name[0] != "_"),
    *((ports.BudgetLease, Lease, name) for name in vars(ports.BudgetLease) if name[0] != "_"),
]


@pytest.mark.parametrize(("port", "ours", "name"), PORTS)
def test_every_member_of_the_port_is_there(port, ours, name):
    wanted, given = inspect.getattr_static(port, name), inspect.getattr_static(ours, name)
    assert type(wanted) is type(given)
    if not isinstance(wanted, property):
        assert [*inspect.signature(wanted).parameters] == [*inspect.signature(given).parameters]
    assert inspect.getdoc(wanted)


async def test_at_first_no_run_pays(tmp_path):
    async with Store.open(tmp_path) as store:
        assert (store.run, store.lease) == (None, None)
