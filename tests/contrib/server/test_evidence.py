"""Documents on a server: for its owner to set, never for a client; shown as text to all."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from moot.contrib.server.allowed_names import parse_name
from moot.contrib.server.config import config_from, read_config
from moot.core.display_text import make_visible
from moot.core.errors import InputError
from moot.core.events import Passage, Searched, Transcript
from moot.reports.setup import NOT_SHOWN
from support import server as served
from support.server import NASTY, complete, harmless, page_of, record, save, turn

MODEL = "simulated/crowd"
PROPOSITION = "Museums should be free of charge."


@pytest.fixture
def folder(tmp_path) -> str:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "fees.md").write_text(f"Museums live on fees. {NASTY}".replace("\n", " "))
    return str(made)


def presets(folder: str, protocol: str = "essay-plan") -> dict:
    return {"wise": {"protocol": protocol, "model": MODEL, "evidence": folder, "passages": 2}}


def ways(path: str):
    """Every way to slip a folder into what a client asks for."""
    node = [{"name": "a", "protocol": "essay-plan", "evidence": path}, {"name": "b"}]
    for protocol in ("essay-plan", "debate-to-write"):
        yield f"{protocol}:{MODEL}", {"evidence": path}
        yield f"{protocol}:{MODEL}?evidence={quote(path)}", None
    yield "wise", {"evidence": path}
    yield f"wise?evidence={quote(path)}", None
    for nodes in (node, json.dumps(node)):
        yield f"hopfield:{MODEL}", {"nodes": nodes}
    yield f"hopfield:{MODEL}?nodes={quote(json.dumps(node))}", None
    yield f"confidence-gate:{MODEL}", {"threshold": path}


def test_no_path_of_a_client_is_looked_for(folder, tmp_path):
    config = config_from(models=[MODEL], presets=presets(folder))
    there, gone = tmp_path / "there", tmp_path / "gone"
    there.mkdir()
    (there / "a.txt").write_text("words")
    for real, missing in zip(ways(str(there)), ways(str(gone)), strict=True):
        told = set()
        for (name, given), path in ((real, there), (missing, gone)):
            with pytest.raises(InputError) as error:
                parse_name(config, name, given)
            told.add(str(error.value).replace(str(path), ""))
        [text] = told  # nobody learns whether something is there
        assert "setting evidence: it may name a file" in text or "expected `" in text


def test_a_preset_of_the_owner_has_its_documents(folder, tmp_path):
    config = config_from(models=[MODEL], presets=presets(folder))
    chosen = parse_name(config, "wise", {"passages": 3})
    assert (chosen.settings["evidence"], chosen.settings["passages"]) == (folder, 3)
    file = tmp_path / "server.toml"
    file.write_text('[presets.wise]\nprotocol = "essay-plan"\nevidence = "docs"\n')
    assert read_config(file).presets["wise"].settings["evidence"] == str(Path(tmp_path, "docs"))
    with pytest.raises(InputError, match=r"evidence = .*there is no such folder"):
        config_from(models=[MODEL], presets=presets(f"{folder}-gone"))


async def test_the_endpoint_refuses_and_streams_what_a_preset_found(serving, client, folder):
    server = await serving(models=[MODEL], presets=presets(folder))
    asked = {"messages": [{"role": "user", "content": PROPOSITION}], "seed": 1}
    own = asked | {"model": f"essay-plan:{MODEL}", "moot": {"settings": {"evidence": folder}}}
    status, text, *_ = await served.refused(client, server, own)
    assert (status in {400, 403}, "setting evidence" in text) == (True, True)
    _, whole = await complete(client, server, asked | {"model": "wise"})
    reasoning = whole["choices"][0]["message"]["reasoning_content"]
    looked = f"Looked up in the documents: {PROPOSITION}\n[1] fees.md:1: Museums"
    assert reasoning.startswith(looked)
    address = f"{server.url}/v1/chat/completions"
    async with client.post(address, json=asked | {"model": "wise", "stream": True}) as response:
        chunks = await served.streamed(response)
    deltas = [piece["delta"] for chunk in chunks for piece in chunk["choices"]]
    told = "".join(delta.get("reasoning_content") or "" for delta in deltas)
    assert told.rstrip() == reasoning


async def test_the_page_to_ask_has_no_field_for_a_folder(serving, client, folder):
    server = await serving(models=[MODEL], presets=presets(folder))
    for way in ("essay-plan", "debate-to-write", "preset:wise"):
        page = await page_of(client, f"{server.url}/ask?protocol={way}")
        assert 'name="set.evidence"' not in page
        assert folder not in page
    sent = {"question": PROPOSITION, "set.evidence": folder, "model": MODEL}
    shown = {}
    for way in ("essay-plan", "preset:wise"):
        data = sent | {"protocol": way, "set.evidence": "/" if "wise" in way else folder}
        async with client.post(f"{server.url}/ask", data=data) as answer:
            url = str(answer.url)
        await served.stream(client, served.events_url(url))
        shown[way] = await page_of(client, url)
        assert folder not in shown[way]  # nobody is told where the owner's documents are
        address = url.partition("?")[0].replace("/debates/", "/runs/")
        run = await page_of(client, f"{address}/settings")
        assert ("passages = " in run, folder in run) == (True, False)
    assert f"evidence = {NOT_SHOWN}" in shown["preset:wise"]
    assert "looked up in the documents" not in shown["essay-plan"]
    assert "looked up in the documents: Museums should be free" in shown["preset:wise"]


async def test_what_was_found_is_text_on_the_page(serving, client):
    server = await serving()
    passages = (Passage(1, f"a.md:1 {NASTY}", NASTY), Passage(2, "b.md:2", "Harmless."))
    found = Searched(query=f"{NASTY}\nfees", passages=passages, after=1)
    nothing = Searched(query="more", passages=(), after=0)
    events = record(turn(1), turn(2, round=2, reads=(1,))).events
    url = await save(server, Transcript((*events[:-1], found, nothing, events[-1])))
    page = await page_of(client, url)
    harmless(page)
    assert page.index("nothing found") < page.index('id="m1"') < page.index("b.md:2")
    assert page.index("b.md:2") < page.index('id="m2"')
    assert make_visible("\x1b[31mred") in page
