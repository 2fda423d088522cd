"""Pages of other sites: refused, unless their origin is allowed."""

import pytest

from moot.contrib.server.config import config_from, with_options
from moot.contrib.server.origins import check_origin
from moot.contrib.server.serving import make_server
from moot.core.errors import InputError

SITE = "https://chat.example"
QUESTION = {"model": "single:simulated/crowd", "messages": [{"role": "user", "content": "2 + 2?"}]}
ASKS = {
    "Origin": SITE,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang",
}


def posting(client, server, path="/v1/chat/completions", **headers):
    headers = {"Origin": SITE, "Sec-Fetch-Site": "cross-site", **headers}
    return client.post(f"{server.url}{path}", json=QUESTION, headers=headers)


async def test_without_a_setting_no_page_of_another_site_may_ask(serving, client):
    server = await serving()
    async with client.options(f"{server.url}/v1/chat/completions", headers=ASKS) as response:
        assert response.status == 405
        assert "access-control-allow-origin" not in response.headers
    async with posting(client, server) as response:
        assert response.status == 403
        assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/models"])
async def test_a_browser_is_told_that_a_page_may_ask(serving, client, path):
    server = await serving(origins=["https://Chat.example"])
    async with client.options(f"{server.url}{path}", headers=ASKS) as response:
        assert response.status == 200
        told = response.headers
    assert told["access-control-allow-origin"] == SITE
    assert "POST" in told["access-control-allow-methods"]
    assert "authorization" in told["access-control-allow-headers"]
    assert "Origin" in told["vary"]
    assert "access-control-allow-credentials" not in told


async def test_a_page_of_an_allowed_site_asks_and_reads_the_answer(serving, client):
    server = await serving(origins=[SITE])
    async with posting(client, server) as response:
        assert response.status == 200
        assert response.headers["access-control-allow-origin"] == SITE
        assert "x-moot-replicate" in response.headers["access-control-expose-headers"]
    async with posting(client, server, Origin="https://other.example") as response:
        assert response.status == 403
        assert "access-control-allow-origin" not in response.headers
    async with posting(client, server, Host="evil.example") as response:
        assert response.status == 421  # a name of its own is still needed
    async with posting(client, server, "/") as response:
        assert response.status == 403  # the pages stay closed to other sites
    async with client.get(f"{server.url}/", headers={"Origin": SITE}) as response:
        assert "access-control-allow-origin" not in response.headers


async def test_errors_can_be_read_too(serving, client, monkeypatch):
    monkeypatch.setenv("A_TOKEN", "a-token-of-some-length")
    server = await serving(origins=["*"], clients={"anna": {"token_env": "A_TOKEN"}})
    async with posting(client, server) as response:
        assert response.status == 401
        assert response.headers["access-control-allow-origin"] == "*"
    async with posting(client, server, Authorization="Bearer a-token-of-some-length") as response:
        assert response.status == 200


@pytest.mark.parametrize("text", ["chat.example", "https://a.example/", "https://*.example", ""])
def test_what_is_no_origin_is_an_error(text):
    with pytest.raises(InputError, match="is no origin"):
        check_origin(text, "--allow-origin")
    with pytest.raises(InputError, match="settings: origins"):
        config_from(origins=[text])


def test_options_come_to_those_of_the_file_and_every_site_needs_a_token(tmp_path):
    config = with_options(config_from(origins=[SITE]), origins=["http://localhost:3000", SITE])
    assert config.origins == (SITE, "http://localhost:3000")
    with pytest.raises(InputError, match="clients need a token"):
        make_server(with_options(config_from(), origins=["*"]), store=tmp_path)
