"""The page to ask on: the form of every protocol, and what may be sent by it."""

import re
from time import process_time

import pytest

from moot.contrib.server.pages.form_fields import list_form_fields, parse_form_fields
from moot.debate.protocol import registry as protocols
from moot.protocols import DEFAULT
from support.server import each_protocol, page_of

HERE = [each.name for each in protocols if each.is_installed]
FIELDLESS = {"nodes", "edges", "evidence", "people", "draft", "classifier", "oracle", "revise",
             "sources"}  # fmt: skip
ASKED = {"question": "Which is even?", "choices": "one\r\ntwo", "protocol": "society-of-minds"}


def form(**given) -> dict[str, str]:
    return {**ASKED, **given}


async def send(client, server, status=200, **given) -> str:
    """The page that follows a form."""
    async with client.post(f"{server.url}/ask", data=form(**given)) as answer:
        assert answer.status == status
        return await answer.text()


async def test_the_form_of_every_protocol_has_its_settings(serving, client):
    server = await serving()
    for name in HERE:
        page = await page_of(client, f"{server.url}/ask?protocol={name}")
        chosen = re.search(r'<option value="([^"]+)" selected>', page)
        assert chosen
        assert chosen[1] == name
        described = protocols.get(name).described_settings
        free = {each.name for each in described if "str" in each.type and not each.in_words}
        for setting in protocols.get(name).own.__struct_fields__:
            fieldless = setting in FIELDLESS or setting in free - {"style", "decision", "forms"}
            assert (f'name="set.{setting}"' in page) is not fieldless, (name, setting)
        assert "set.examples" not in page
        assert "set.model" not in page


@pytest.mark.parametrize("name", each_protocol())
async def test_a_debate_of_every_protocol_is_begun_by_what_its_form_holds(name, serving, client):
    server = await serving()
    held = list_form_fields(protocols.get(name), {})
    given = {f"set.{field.name}": field.value for field in held}
    sent = form(protocol=name, **given)
    async with client.post(f"{server.url}/ask", data=sent, allow_redirects=False) as answer:
        refusals = {  # a page has no answer, and which of several is even is no motion
            "its right answer is not known": protocols.get(name).needs_answer,
            "debate-match debates motions": name == "debate-match",
        }
        if told := [words for words, is_so in refusals.items() if is_so]:
            assert (answer.status, told[0] in await answer.text()) == (422, True)
            return
        assert answer.status == 303, await answer.text()
    async with client.get(server.url + answer.headers["location"]) as shown:
        assert shown.status == 200
        assert "Which is even?" in await shown.text()


def test_an_untouched_form_stands_for_the_defaults():
    for name in HERE:
        protocol = protocols.get(name)
        held = list_form_fields(protocol, {})
        for field in held:  # a browser sends the first option where none is the field's value
            assert field.kind != "choice" or field.value in field.options or field.empty, field
        untouched = parse_form_fields(held, {field.name: field.value for field in held})
        assert protocol.check(untouched) == protocol.check({}), name


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"question": "  "}, "question: it is empty"),
        ({"choices": "one\none"}, "two of them are the same"),
        ({"answer": "three"}, "no answer to"),
        ({"set.agents": "many"}, "Agents: &#39;many&#39; is not a whole number"),
        ({"set.temperature": "nan"}, "setting temperature = nan"),
        ({"set.exchange": "never"}, "expected one of simultaneous, sequential"),
        ({"set.agents": '[{"model": "http://elsewhere/v1/x"}]'}, "is not a whole number"),
        ({"model": "http://elsewhere/v1/x"}, "is not allowed here"),
        ({"model": "simulated/crowd?accuracy=1"}, "is not allowed here"),
        ({"protocol": "socratic"}, "unknown protocol"),
        ({"max_calls": "two"}, "is no number"),
        ({"max_calls": "2"}, "makes 6 calls"),
        ({"question": "long " * 50_000}, "250,0"),
        ({"kind": "math", "choices": "", "answer": r"\frac{1"}, "with all braces closed"),
    ],
)
async def test_what_cannot_be_asked_is_said_and_nothing_is_lost(given, told, serving, client):
    server = await serving()
    page = await send(client, server, 422, **given)
    assert told in page
    assert "Traceback" not in page
    assert ">one" in page or not given.get("choices", "one")
    assert not server.lab.store.runs()


async def test_no_other_form_is_taken_and_no_setting_read_that_it_does_not_show(serving, client):
    server = await serving()
    sneaked = dict.fromkeys(("set.examples", "set.prompts"), "/etc/passwd") | {"set.style": "cot"}
    sneaked |= {"set.model": "http://elsewhere/x", "set.cast": '[{"model": "http://elsewhere/x"}]'}
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        async with client.post(f"{server.url}/ask", data=form(), headers=headers) as answer:
            assert answer.status == 403, headers
    urlencoded = {"Content-Type": "application/x-www-form-urlencoded"}
    many = "&".join(f"a{number}=1" for number in range(500)).encode()
    for body, headers, status in (
        (b"{}", {"Content-Type": "application/json"}, {422}),
        (many, urlencoded, {422}),
        (b"question=%ff%00&choices=%f0", urlencoded, {200, 422}),
    ):
        async with client.post(f"{server.url}/ask", data=body, headers=headers) as answer:
            assert answer.status in status
    assert not server.lab.store.runs()
    assert "elsewhere" not in await send(client, server, **sneaked)
    assert server.lab.store.runs()


async def test_another_protocol_without_a_script_shows_its_settings_first(serving, client):
    server = await serving()
    page = await send(client, server, protocol="multi-persona", of="society-of-minds")
    assert "These are the settings of multi-persona" in page
    assert 'name="set.speaks_first"' in page
    page = await send(client, server, change="1", protocol="single")
    assert 'value="single" selected' in page
    assert not server.lab.store.runs()


async def test_one_debate_too_many_is_told_when_to_come_back(serving, client):
    server = await serving(models=["simulated/slow?latency=5"], limits={"debates": 1, "queue": 1})
    async with client.post(f"{server.url}/ask", data=form(), allow_redirects=False) as answer:
        assert answer.status == 303
    async with client.post(f"{server.url}/ask", data=form(question="And who waits?")) as answer:
        assert answer.status == 200
        assert "The debate waits for its turn." in await answer.text()
        assert answer.headers["refresh"] == "2"
    again = form(question="And which is odd?")
    async with client.post(f"{server.url}/ask", data=again) as answer:
        assert answer.status == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert "And which is odd?" in await answer.text()
    for held in server.debates.live:
        held.stop()


async def test_a_preset_is_asked_by_its_name_and_with_its_own_model(serving, client):
    preset = {"protocol": "society-of-minds", "model": "simulated/own", "agents": 2, "rounds": 3}
    server = await serving(presets={"careful": {**preset, "about": "Two, three times."}})
    page = await page_of(client, f"{server.url}/ask?protocol=preset:careful")
    assert "Two, three times." in page
    assert 'name="set.agents" value="2"' in page
    assert 'id="model"' not in page
    # Without a script it keeps its settings.
    fields = list_form_fields(protocols.get(DEFAULT), {})
    shown = {f"set.{each.name}": each.value for each in fields} | {"set.temperature": "0.2"}
    for more in ({"change": "1"}, {}):  # the button, or Debate at once
        page = await send(client, server, protocol="preset:careful", of=DEFAULT, **shown, **more)
        for name, value in (("agents", 2), ("rounds", 3), ("temperature", 0.2)):
            assert f'name="set.{name}" value="{value}"' in page, name
    assert not server.lab.store.runs()
    assert "simulated/own" in await send(client, server, protocol="preset:careful")


async def test_files_beside_the_pages_are_kept_by_browsers_until_they_change(serving, client):
    server = await serving()
    page = await page_of(client, f"{server.url}/ask")
    address = re.search(r'href="(/static/style\.css\?\w+)"', page)
    assert address
    async with client.get(server.url + address[1]) as answer:
        assert answer.headers["content-type"].startswith("text/css")
        assert "immutable" in answer.headers["cache-control"]
        mark = answer.headers["etag"]
    plain = f"{server.url}/static/style.css"
    async with client.get(plain, headers={"If-None-Match": mark}) as answer:
        assert answer.status == 304
    for name in ("nothing.css", "..%2fpage.py", "%2e%2e/page.py", "page.py"):
        await page_of(client, f"{server.url}/static/{name}", 404)


@pytest.mark.parametrize("model", ["simulated/crowd", "openai/gpt-4o-mini"])
async def test_an_estimate_leaves_the_server_time_for_others(model, serving, client):
    server = await serving(models=[model])
    for rounds, told in ((20, "too large to estimate here; at most 1,200 calls"), (4, "240 calls")):
        given = form(**{"set.agents": "60", "set.rounds": str(rounds), "model": model})
        began = process_time()
        async with client.post(f"{server.url}/ask/estimate", data=given) as answer:
            assert told in await answer.text()
        assert process_time() - began < 2


async def test_estimates_load_so_many_models_and_none_for_another_site(
    serving, client, monkeypatch
):
    monkeypatch.setattr("moot.contrib.server.live_debates.MODELS", 3)
    server = await serving(models=["simulated/*"])
    loaded = []
    for number in range(5):
        url = f"{server.url}/ask?protocol=single&model=simulated/m{number}"
        loaded.append("already loaded 3 other models" not in await page_of(client, url))
    assert loaded == [True, True, True, False, False]
    page = await page_of(client, f"{server.url}/ask")
    assert '<input id="model"' in page  # models allowed by a pattern are written
    assert '<option value="math">' in page
    url = f"{server.url}/ask?protocol=society-of-minds&model=simulated/m1"
    for site, told in (("cross-site", "another site led here"), ("same-origin", "6 calls")):
        async with client.get(url, headers={"sec-fetch-site": site}) as answer:
            assert told in await answer.text()
    assert len(server.lab._loaded) == 3
