"""The page of a debate: what stands on it, while it goes on and afterwards."""

import asyncio
import json
import re

import pytest

from moot.core.events import Closed, Failed, Verdict
from moot.core.questions import WITHHELD, Question
from moot.core.readings import UnknownReading
from support import server as served
from support.server import MODEL, SUM, body, page_of, record, save, stream, turn


@pytest.mark.parametrize("name", served.each_protocol(lambda each: not each.needs_answer))
async def test_a_debate_of_every_protocol_is_shown_and_streamed_whole(name, serving, client):
    server = await serving()
    motion = {"choices": ()} if name == "debate-match" else {}
    held, url = await served.hold(server, protocol=name, **motion)
    sent = await stream(client, served.events_url(url))
    transcript = await held.transcript()
    page = await page_of(client, url)
    await server.lab.store.flush()
    assert sent[-1][1] == "end"
    parts = "".join(part["html"] for _, name, data in sent[:-1] for part in data["parts"])
    for each in transcript.turns:
        assert f'id="m{each.id}"' in page, each.id
        assert f'id="m{each.id}"' in parts, each.id
    assert "Verdict" in page
    plain = page.replace(f"held={held.id}&amp;", "").replace(f"?held={held.id}", "")
    assert await page_of(client, f"{server.url}/debates/{held.run}") == plain
    said = transcript.turns[-1]
    message = await page_of(client, f"{server.url}/debates/{held.run}/{said.id}")
    assert "Prompt: user" in message
    assert said.call in message


FAILED = Failed(kind="TransientError", reason="<b>429</b> for ever", retries=5, seconds=3.0)
ONE = Closed(verdict=Verdict(answer="4", by="majority", votes={"4": 1}))
HUNCH = UnknownReading({"kind": "hunch", "strength": 0.7, "about": "<b>the moon</b>"})
SHOWN = [
    (
        "changed",
        [turn(1, answer="5"),
         turn(2, seat=0, agent="mind-1", round=2, reads=(1,), prompt_tokens=1200, cost=0.0125,
              completion_tokens=34, seconds=1.5, retries=1, replayed=True)],
        {},
        ["changed its mind", "tokens unknown", "1 change of mind", "Round 2", "prompt<span",
         "read #1 · 1,200 + 34 tokens · $0.013 · 1.5 s · 1 retry · replayed",
         '<span class="right" title="right">', '<span class="wrong" title="wrong">'],
        ['class="dissents"', 'class="unread"', 'id="reading"'],
    ),
    (
        "failed", [turn(1)], {"end": FAILED, "opening": ("7", "8")},
        ["the model does not answer: &lt;b&gt;429&lt;/b&gt; for ever", "opening: ", "7, 8"], [],
    ),
    (
        "thought",
        [turn(1, thought="<b>SECRET</b> sum", reasoning_tokens=7),
         turn(2, text="", answer=None, finish="length", reasoning_tokens=64, prompt_tokens=9,
              completion_tokens=64)],
        {},
        ["<summary>Thought, 7 tokens<span", "&lt;b&gt;SECRET&lt;/b&gt; sum", 'id="thought"',
         "Nothing was said: all 64 tokens of the reply went into thought"],
        [],
    ),
    (
        "reading", [turn(1, reading=HUNCH)], {},
        ['id="reading"', "Read from it: hunch", "<b>strength</b> 0.7",
         "&lt;b&gt;the moon&lt;/b&gt;"], [],
    ),
    (
        "dissent",
        [turn(1), turn(2), turn(3, answer="5", text="It is <i>five</i>.")], {},
        ['class="dissents"', "1 dissent", "<strong>mind-3</strong> answers 5", 'href="#m3"',
         "It is &lt;i&gt;five&lt;/i&gt;."],
        ["It is <i>"],
    ),
    (
        "no vote",
        [turn(1), turn(2, answer=None, step="review", votes=False, text="A is best.")], {},
        ["<small>review</small>"], ["no answer"],
    ),
    (
        "unread",
        [turn(1), turn(2, answer=None), turn(3, answer=None)], {"end": ONE},
        ['class="unread"', "2 of 3 gave no answer that could be read", "by the only answer of 3"],
        [],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "turns", "opened", "told", "absent"), SHOWN)
async def test_what_stands_on_a_page(serving, client, name, turns, opened, told, absent):
    server = await serving()
    url = await save(server, record(*turns, **opened))
    page = await page_of(client, url) + await page_of(client, f"{url}/1")
    assert [words for words in told if words not in page] == [], name
    assert [words for words in absent if words in page] == [], name


async def test_a_secret_question_and_thought_about_it_stay_withheld(serving, client):
    server = await serving()
    secret = Question(id="s", kind="choice", text="Who did it?", choices=("butler", "gardener"),
                      answer="A", secret=True)  # fmt: skip
    said = turn(1, text="The butler did it.", answer="A", thought="SECRET")
    url = await save(server, record(said, question=secret))
    for page in (await page_of(client, url), await page_of(client, f"{url}/1")):
        assert WITHHELD in page
        assert not [each for each in ("butler", "Who did", "SECRET") if each in page]


async def test_replies_under_way_are_streamed_word_by_word(serving, client):
    slow = "simulated/slow?latency=0.4"
    server = await serving(models=[slow])
    held, url = await served.hold(server, model=slow, stream=True)
    shown, ended = {}, set()
    async with client.get(served.events_url(url)) as answer:
        async for number, name, data in served.blocks(answer):
            if name == "piece":
                assert number == -1  # a browser that connects again names the last change
                assert data.keys() == {"turn", "agent", "role", "step", "round", "kind", "text"}
                assert data["turn"] not in ended
                shown.setdefault(data["turn"], []).append((data["kind"], data["text"]))
            elif name == "change":
                html = "".join(part["html"] for part in data["parts"])
                ended |= {turn for turn in shown if f'id="m{turn}"' in html}
    transcript = await held.transcript()
    assert set(shown) == ended == {each.id for each in transcript.turns}
    for each in transcript.turns:
        (first, *words) = shown[each.id]
        assert first == ("begun", "")
        assert len(words) > 2
        assert each.text.startswith("".join(text for _, text in words))


async def test_a_stream_goes_on_where_it_was_lost(serving, client):
    server = await serving(models=["simulated/slow?latency=0.15"])
    _held, url = await served.hold(server, model="simulated/slow?latency=0.15", rounds=3)
    async with client.get(served.events_url(url)) as answer:
        async for got in served.blocks(answer):
            if "#m1" in json.dumps(got):
                break
    number = got[0]
    rest = await stream(client, served.events_url(url), last=number)
    numbers = [number for number, _, _ in rest]
    assert numbers == sorted(numbers)
    # A reply that has begun since brings a change of the same number: nothing new is told by it.
    assert not any(data["told"] for at, name, data in rest if name == "change" and at <= number)
    assert numbers[0] >= number
    parts = {part["id"] for _, _, data in rest[:-1] for part in data["parts"]}
    assert parts & {"part-0-6", "part-0"} == {"part-0-6"}
    assert [name for _, name, _ in rest].count("end") == 1
    late = await stream(client, served.events_url(url), last=numbers[-1])
    assert [name for _, name, _ in late] == ["end"]
    for odd in ("-1", "x", "9" * 50):
        async with client.get(served.events_url(url), headers={"Last-Event-ID": odd}) as answer:
            assert answer.status == 200
    await page_of(client, f"{server.url}/debates/none/events", 204)


async def test_who_leaves_the_page_does_not_stop_the_debate_but_its_button_does(serving, client):
    server = await serving(models=["simulated/slow?latency=0.2"])
    held, url = await served.hold(server, model="simulated/slow?latency=0.2", rounds=50)
    async with client.get(served.events_url(url)) as answer:
        await anext(served.blocks(answer))
    await asyncio.sleep(0.3)
    assert not held.done
    page = await page_of(client, url)
    assert re.search(r"Debating: \d+ messages? so far", page), page
    async with client.post(url.replace("?", "/stop?")) as answer:
        page = await answer.text()
    assert (answer.status, held.done) == (200, True)
    assert "it was stopped by hand" in page
    assert 'http-equiv="refresh"' not in page


async def test_what_is_not_there_is_said_to_be_missing(serving, client):
    server = await serving()
    url = await save(server, record(turn(1)))
    for missing in ("?arm=b", "?replicate=3", "/99", "/99999999999999999999"):
        assert "Ask a question" in await page_of(client, f"{url}{missing}", 404)
    await page_of(client, f"{url}/stop", 405)
    for odd in ("after=99999999999", "after=-1", "after=x", "replicate=x"):
        assert "What is 2+2?" in await page_of(client, f"{url}?{odd}")


@pytest.mark.parametrize("way", ["chat", "responses", "streamed"])
async def test_a_debate_can_be_read_as_soon_as_its_answer_is_there(serving, client, way):
    server = await serving(models=[MODEL])
    path, asked = "chat/completions", body(SUM, stream=way == "streamed")
    if way == "responses":
        path, asked = "responses", {"model": asked["model"], "input": SUM, "moot": asked["moot"]}

    async def look(replicate, **more):
        async with client.post(f"{server.url}/v1/{path}", json=asked | more) as response:
            told = await served.streamed(response) if way == "streamed" else [await response.json()]
        run = next(each["moot"]["run"] for each in told if "moot" in each)
        page = await page_of(client, f"{server.url}/debates/{run}?replicate={replicate}")
        assert "Verdict" in page

    for number in range(20):
        await look(number)
    if way == "chat":
        await asyncio.gather(*(look(0, seed=seed) for seed in range(20)))
