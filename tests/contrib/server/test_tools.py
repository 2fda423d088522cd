"""Servers of tools: the owner names them, never a client; how they are reached is not shown."""

import json
from urllib.parse import quote, urlencode

import pytest

from moot.contrib.server.allowed_names import parse_name
from moot.contrib.server.config import config_from
from moot.core.errors import InputError

MODEL = "simulated/crowd"
TABLE = {"name": "docs", "command": "cat /etc/passwd", "allow": ["search"]}
PRESETS = {"wise": {"protocol": "single", "model": MODEL, "tools": [TABLE]}}


def ways():
    """Every way to slip a server into what a client asks for."""
    tools = [TABLE]
    node = [{"name": "a", "protocol": "single", "tools": tools}, {"name": "b"}]
    yield f"single:{MODEL}", {"tools": tools}
    yield f"single:{MODEL}?tools={quote(json.dumps(tools))}", None
    yield "wise", {"tools": [{**TABLE, "command": "rm -r x"}]}
    yield "wise", {"tools": [{**TABLE, "allow": ["search", "delete"]}]}
    yield f"wise?tools={quote(json.dumps([{**TABLE, 'command': 'rm'}]))}", None
    yield f"hopfield:{MODEL}", {"nodes": node}
    yield f"agreement-gate:{MODEL}", {"tools": tools}


@pytest.mark.parametrize(("name", "given"), list(ways()))
def test_no_client_names_a_server(name, given):
    config = config_from(models=[MODEL], presets=PRESETS)
    with pytest.raises(InputError, match="setting tools: it may name a file or an address"):
        parse_name(config, name, given)


def test_no_client_asks_a_server_as_a_model():
    with pytest.raises(InputError, match=r"models.*'tool/\*': a server of tools is no model"):
        config_from(models=["tool/*"])
    config = config_from(models=[MODEL], presets=PRESETS)
    name = f"tool/docs?{urlencode({'command': 'touch x'})}"
    for asked in (f"single:{name}", f"single:tool/docs?command={quote('touch x')}"):
        with pytest.raises(InputError):
            parse_name(config, asked, None)
    with pytest.raises(InputError):
        parse_name(config, f"single:{MODEL}", {"cast": [{"model": name}]})
