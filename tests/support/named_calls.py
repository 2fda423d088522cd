"""Which calls are in flight when a process is killed, as the server and the store see them."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from moot.studies.lab import open_lab
from support.chaos import Chaos


class NamedCalls(Chaos):
    """A server whose replies name their call, so that it can be found in the store."""

    def _answer(self, entry: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
        status, content, extra = super()._answer(entry)
        return status, content.replace(b"Let me think.", entry["identity"].encode()), extra


class CallAccount:
    """Counts how often the server got each call, and how often it was in flight at a kill."""

    def __init__(self, server: NamedCalls, address: str, skip: int = 0) -> None:
        self.lost = Counter[str]()
        self._server, self._address, self._skip = server, address, skip
        self._recorded = set[str]()
        self._newest = 0

    def count_asked(self) -> Counter[str]:
        return Counter(each["identity"] for each in self._server.seen[self._skip :])

    def find_calls(self, process: int) -> set[str]:
        """Return the calls that came over the connections that a process has now."""
        ports = _find_ports(process)
        return {each["identity"] for each in self._server.seen if each["port"] in ports}

    async def find_flying(self, among: set[str] | None = None) -> set[str]:
        """Return the calls, all or of these, that were made and have no reply in the store."""
        asked, recorded = self.count_asked(), await self.read_recorded()
        made = asked.keys() if among is None else among
        return {each for each in made if each not in recorded and asked[each] > self.lost[each]}

    async def read_recorded(self) -> set[str]:
        async with open_lab(self._address, readonly=True) as lab:
            query = "SELECT id, identity FROM replies WHERE id > ? ORDER BY id"
            for number, identity in lab.store.query(query, self._newest):
                reply = await lab.store.find(identity)
                assert reply is not None
                self._recorded.add(reply.text.split(maxsplit=1)[0])
                self._newest = number
        return self._recorded


def _find_ports(process: int) -> set[int]:
    own = set[str]()
    for number in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            own.add(str(number.readlink()))
    rows = [row.split() for row in Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].partition(":")[2], 16) for row in rows if f"socket:[{row[9]}]" in own}
