"""A debate's question as code, run as a reader would; follow-up questions; the form's answer."""

import asyncio
import json
import re
import sys
from html import unescape

import pytest

from moot.contrib.server.pages.answer_guess import guess_answer
from support.server import hold, page_of, record, save, settled, turn

NASTY = "It's \"2\" $HOME `id` \\ \u202eEND\nEND\n</pre><script>alert(1)</script> ''' 東京"
TOKEN = "a-token-of-the-owner-alone"


def code_of(page: str, name: str) -> str:
    return unescape(re.search(rf'<pre id="{name}">(.*?)</pre>', page, re.DOTALL)[1])


async def output_of(*words: str, **environment: str) -> str:
    own = {"PATH": "/usr/bin:/bin", "NO_PROXY": "127.0.0.1", **environment}
    made = await asyncio.create_subprocess_exec(*words, stdout=-1, stderr=-1, env=own)
    out, err = await asyncio.wait_for(made.communicate(), 60)
    assert made.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.parametrize("tokens", [False, True])
async def test_python_and_curl_ask_the_same_question_again(tokens, serving, client, monkeypatch):
    monkeypatch.setenv("OWNER", TOKEN)
    clients = {"clients": {"owner": {"token_env": "OWNER"}}} if tokens else {}
    headers = {"Authorization": f"Bearer {TOKEN}"} if tokens else {}
    server = await serving(models=["simulated/crowd"], **clients)
    held, url = await hold(server, NASTY, choices=("it's so", 'or "not"'), agents=2, rounds=3)
    transcript = await held.transcript()
    await settled(server)
    page = await page_of(client, url, headers=headers)
    environment = {"MOOT_TOKEN": TOKEN} if tokens else {}
    python, curl = code_of(page, "python"), code_of(page, "curl")
    assert TOKEN not in page
    said = await output_of(sys.executable, "-c", python, **environment)
    told = json.loads(await output_of("bash", "-c", curl, **environment))
    assert told["moot"]["calls"] == len(transcript.turns) == 6
    assert repr(told["moot"]["verdict"]["votes"]) in said
    rows = server.lab.store.runs()
    assert [row.key for row in rows] == [held.run]  # it is the same debate, word for word


async def test_a_preset_is_asked_by_name_and_what_no_client_may_ask_has_no_code(serving, client):
    preset = {"protocol": "society-of-minds", "model": "simulated/own", "agents": 2, "rounds": 3}
    server = await serving(presets={"careful": preset})
    given = {"question": "Is 51 a prime number?", "protocol": "preset:careful"}
    async with client.post(f"{server.url}/ask", data=given) as answer:
        url = answer.url
    await settled(server)
    body = json.loads(code_of(await page_of(client, str(url)), "curl").split("'END'\n")[1][:-5])
    assert (body["model"], body["moot"]) == ("careful", {"kind": "boolean"})
    url = await save(server, record(turn(1), settings={"model": "elsewhere/x"}))
    assert 'id="curl"' not in await page_of(client, url)


async def test_a_follow_up_is_asked_with_the_conversation_before_it(serving, client):
    server = await serving(models=["simulated/crowd"])
    first, url = await hold(server)
    await first.transcript()
    await settled(server)
    page = await page_of(client, url)
    after = re.search(r'name="after" value="([^"]+)"', page)[1]
    page = await page_of(client, f"{server.url}/ask?after={after}&question=And+why%3F")
    assert "Ask a follow-up question" in page
    assert "Which is even?\n\n(A) one\n(B) two" in unescape(page)
    given = {"question": "And is 3 odd?", "after": after}
    async with client.post(f"{server.url}/ask", data=given) as answer:
        second = str(answer.url)
    await settled(server)
    page = await page_of(client, second)
    assert page.count('<li class="from-') == 2
    run = re.search(r"/debates/([^?]+)", second)[1]
    [row] = server.lab.store.debates(server.lab.store.find_run(run).id)
    question = row.transcript.question
    assert (question.kind, question.text) == ("boolean", "And is 3 odd?")
    assert [each.role for each in question.earlier_messages] == ["user", "assistant"]
    words = question.earlier_messages[1].content
    sent = server.lab.store.request(bytes.fromhex(row.transcript.turns[0].call))
    assert words in [each.content for each in sent.messages]
    # The third has all of it.
    again = re.search(r'name="after" value="([^"]+)"', page)[1]
    page = await page_of(client, f"{server.url}/ask?after={again}")
    assert page.count('<li class="from-') == 4


@pytest.mark.parametrize("after", ["none:0", "x", ":", "a" * 5000])
async def test_a_follow_up_to_nothing_is_not_asked_without_it(after, serving, client):
    server = await serving()
    await page_of(client, f"{server.url}/ask?after={after[:500]}", 404)
    given = {"question": "And?", "after": after}
    async with client.post(f"{server.url}/ask", data=given) as answer:
        assert answer.status == 422
        assert "there is no debate" in unescape(await answer.text())
    assert not server.lab.store.runs()


@pytest.mark.parametrize(
    ("question", "kind", "choices"),
    [
        ("Is 51 a prime number?", "boolean", ()),
        ("If it is half off twice, it is free. True or false?", "boolean", ()),
        ("Should the depot move?", "boolean", ()),
        ("Should the depot move? Weigh both sides and decide.", "text", ()),
        ("Which is heavier, lead or gold?", "choice", ("lead", "gold")),
        ("Which is heaviest: a feather, a bicycle, or an ox?", "choice",
         ("a feather", "a bicycle", "an ox")),
        ("Which is right?\nA) one\nB) two", "choice", ("one", "two")),
        ("How many cents does the ball cost?", "number", ()),
        ("What is 17+25?", "number", ()),
        ("How should I store passwords?", "text", ()),
        ("Why is the sky blue?", "text", ()),
        ("What does the water do?", "text", ()),
        ("Is it a or b?", "text", ()),
        ("Ist 51 eine Primzahl?", "text", ()),
        ("Which?\n- same\n- Same", "text", ()),
        ("", "text", ()),
    ],
)  # fmt: skip
def test_the_form_of_an_answer_is_guessed(question, kind, choices):
    assert guess_answer(question) == (kind, choices)


async def test_the_guess_is_shown_taken_and_corrected(serving, client):
    server = await serving(models=["simulated/crowd"])
    page = await page_of(client, f"{server.url}/ask?question=Is+51+prime%3F")
    assert '<option value="">guessed: yes or no</option>' in page
    asked = {"question": "Which is heavier, lead or gold?"}
    async with client.post(f"{server.url}/ask/estimate", data=asked) as answer:
        assert "one of these options: lead, gold" in await answer.text()
    for given, kind, choices in (({}, "choice", ("lead", "gold")), ({"kind": "text"}, "text", ())):
        async with client.post(f"{server.url}/ask", data=asked | given) as answer:
            run = re.search(r"/debates/([^?]+)", str(answer.url))[1]
        await settled(server)
        [row] = server.lab.store.debates(server.lab.store.find_run(run).id)
        assert (row.transcript.question.kind, row.transcript.question.choices) == (kind, choices)


async def test_six_settings_are_in_view_and_methods_stand_in_groups(serving, client):
    server = await serving()
    page = await page_of(client, f"{server.url}/ask")
    before = page.partition('id="settings"')[0]
    names = re.findall(r'name="(set\.\w+|max_\w+)"', before)
    assert names == ["set.agents", "set.rounds", "set.temperature", "set.max_tokens",
                     "max_cost", "max_calls"]  # fmt: skip
    groups = re.findall(r'<optgroup label="(\w+)', page)
    assert groups == ["Recommended", "Votes", "Debates", "Councils", "Judges", "Networks", "Gates",
                      "Sources", "Essays", "Oversight"]  # fmt: skip
    labels = re.findall(r"<label[^>]*>(?:<input[^>]*>)?([^<]+)", page)
    assert not {*labels} & {"Still", "Twice", "Window", "Shots as", "Choose", "Put"}
