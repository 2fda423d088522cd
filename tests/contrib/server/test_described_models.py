"""Models that a server's file describes itself."""

from support.chaos import Chaos
from support.http_calls import only_key
from support.server import body, complete

TOKEN = "team-token-0123456789"


async def test_clients_of_a_server_may_name_what_its_file_describes(serving, client, monkeypatch):
    only_key(monkeypatch)
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    async with Chaos() as chaos:
        table = {"base": chaos.url, "model": "ok", "headers": {"X-Team": "${TEAM_TOKEN}"}}
        server = await serving(models={"gateway": table, "simulated/crowd": {}})
        status, told = await complete(client, server, body(model="single:gateway"))
        assert status == 200
        assert TOKEN not in str(told)
        assert chaos.seen[0]["headers"]["x-team"] == TOKEN
        status, _ = await complete(client, server, body(model="single:simulated/crowd"))
        assert status == 200
        status, _ = await complete(client, server, body(model="single:simulated/others"))
        assert status == 404
