"""Replies and names that would be more than text, and those that are very long."""

import re
from html import unescape

from moot.contrib.server.pages.board import MOST
from moot.core.calls import Reply
from moot.core.events import Closed, Verdict
from moot.core.questions import Question
from moot.models.scripted import Scripted
from support import server as served
from support.server import NASTY, harmless, page_of, record, save, turn


async def test_a_hostile_reply_is_text_wherever_it_stands(serving, client):
    def says(call):
        return Reply(text=f"{NASTY}\nFinal answer: {NASTY}", prompt_tokens=1, completion_tokens=1)

    server = await serving(models=["scripted/bad"], given={"models": [Scripted(says, name="bad")]})
    held, url = await served.hold(server, NASTY, choices=(), model="scripted/bad")
    sent = await served.stream(client, served.events_url(url))
    assert held.done
    shown = [await page_of(client, url)]
    shown += [await page_of(client, url.replace("?", f"/{n}?")) for n in (1, 6)]
    shown += [part["html"] for _, _, data in sent[:-1] for part in data["parts"]]
    for page in shown:
        harmless(page)
    assert "<script>alert(1)</script>" in "".join(served.Seen(shown[0]).text)
    assert "␛[31mred" in shown[0]
    assert "‹U+202E›" in shown[0]


MARKUP = r"""# <img src=x onerror=alert(1)>
![pixel](https://evil.example/?q=1) [x](javascript:alert(1)) <https://evil.example/'onclick='x>
$\text{<script>alert(1)</script>} \href{javascript:alert(1)}{x} \style{color:red}{x}$
```html" onclick="alert(1)
<script>alert(1)</script>
```
| <svg onload=alert(1)> | [y](data:text/html,<script>) |
|-|-|
| \(\newcommand{\a}{\a\a}\a\) | <b style="color:red"> |
"""


async def test_hostile_markup_is_formatting_at_most(serving, client, browser):
    server = await serving()
    texts = [MARKUP, ">" * 500 + "deep", "[" * 8_000, "$" + "{" * 900 + "}" * 900 + "$"]
    turns = [turn(n, text=text, thought=text) for n, text in enumerate(texts, 1)]
    end = Closed(verdict=Verdict(answer=MARKUP, by="x", text=MARKUP))
    text = Question(id="open", kind="text", text="What?")
    url = await save(server, record(*turns, end=end, question=text))
    for page in (url, f"{url}/1", f"{url}/2"):
        harmless(await page_of(client, page))
    async with browser(width=390) as tab:
        asked = []
        tab.page.on("request", lambda request: asked.append(request.url))
        await tab.page.goto(url)
        assert await tab.page.locator("#m1 table").count() == 2
        assert await tab.page.locator("#m1 math").count() >= 1
        await tab.sound()
        assert not [each for each in asked if not each.startswith(server.url)]


async def test_names_of_all_kinds_are_text_too(serving, client):
    server = await serving()
    odd = turn(1, agent=NASTY, role=NASTY, model=NASTY, answer=NASTY)
    end = Closed(verdict=Verdict(answer=NASTY, by=NASTY, text=NASTY, votes={NASTY: 1, "4": 2}))
    text = Question(id=NASTY, kind="text", text=NASTY, context=NASTY, answer=NASTY)
    transcript = record(odd, turn(2), end=end, question=text, protocol=NASTY, opening=(NASTY,))
    url = await save(server, transcript, arm="x/y <b>", question="q?&=#")
    harmless(await page_of(client, url))
    harmless(await page_of(client, f"{url}/1"))
    query = "arm=x%2Fy+%3Cb%3E&dataset=d&question=q%3F%26%3D%23"
    harmless(await page_of(client, f"{url}?{query}"))
    harmless(await page_of(client, f"{url}?arm={NASTY.replace('#', '')}", 404))
    harmless(await page_of(client, f"{server.url}/debates/%3Cscript%3E", 404))


async def test_a_reply_of_5_mb_is_shortened_and_can_be_read_whole(serving, client):
    server = await serving()
    long = "".join(f"<b>{number}</b>" for number in range(400_000))[:5_000_000]
    url = await save(server, record(turn(1, text=long), turn(2, text=long[:4_000])))
    page = await page_of(client, url)
    assert len(page) < 80_000
    assert "more characters" in page
    read, address = "", f"{url}/1"
    while address:
        part = await page_of(client, address)
        assert len(part) < 900_000
        said = part.partition('id="reply"')[2]
        read += unescape(said.partition('<p class="text">')[2].partition("</p>")[0])
        more = re.search(r'href="([^"]+)">Go on', part)
        address = server.url + unescape(more[1]) if more else ""
    assert read == long


async def test_a_debate_of_many_messages_is_shown_page_by_page(serving, client):
    server = await serving()
    turns = [turn(n, round=1 + n // 100, seat=n % 50) for n in range(1, 2 * MOST + 50)]
    url = await save(server, record(*turns))
    seen: list[int] = []
    address = url
    while address:
        page = await page_of(client, address)
        seen += [int(number) for number in re.findall(r'id="m(\d+)"', page)]
        more = re.search(r'href="([^"]+)">The messages after these', page)
        address = server.url + more[1] if more else ""
    assert seen == [each.id for each in turns]
