"""A store whose commits take as long as a test wants."""

import asyncio

import pytest

from moot.ledger.sqlite_store import Store


class SlowStore(Store):
    """A real store whose commits wait until they are let through."""

    async def record(self, identity, call, request, reply):
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.release(identity)
            raise
        return await super().record(identity, call, request, reply)


@pytest.fixture
async def slow(tmp_path):
    async with SlowStore.open(tmp_path / "slow") as opened:
        opened.gate = asyncio.Event()
        yield opened
