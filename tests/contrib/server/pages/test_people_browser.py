"""People in a debate on a real server: they reply, leave, and come back after a restart."""

import asyncio
import re
import signal
import sys
from time import monotonic

import pytest
from playwright.async_api import expect

from support.commands import environment
from support.server import page_of

pytestmark = pytest.mark.soak
FILE = """
models = ["simulated/a", "human/*"]
[presets.with-ana]
protocol = "society-of-minds"
models = ["human/ana", "simulated/a?accuracy=0.5"]
agents = 2
rounds = 2
[presets.two]
protocol = "society-of-minds"
models = ["human/ana", "human/bo"]
agents = 2
rounds = 2
[presets.hearing]
protocol = "oversight-debate"
model = "simulated/a?skill=0.0"
agents = [{role = "judge", model = "human/ann"}]
rounds = 2
questions = true
"""
CLIENTS = '[clients.owner]\ntoken_env = "OWNER"\n'
TOKEN = "a-token-of-the-owner-alone"
SECONDS = 60
SHUTDOWN = 25
"""Below the seconds that a server lets debates end in."""


class Process:
    """``moot serve`` in a process of its own."""

    def __init__(self, folder, port, *, tokens=False):
        self.folder, self.port, self.tokens = folder, port, tokens
        (folder / "serve.toml").write_text(FILE + CLIENTS * tokens)
        self.url = ""

    async def start(self):
        words = ["-m", "moot", "serve", "serve.toml", "--port", str(self.port)]
        own = {**environment(), "OWNER": TOKEN}
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, *words, cwd=self.folder, env=own, stderr=-1
        )
        line = (await asyncio.wait_for(self.process.stderr.readline(), SECONDS)).decode()
        self.url = re.search(r"http://127.0.0.1:\d+", line)[0]
        self.port = int(self.url.rpartition(":")[2])

    async def end(self, number):
        """Send a signal, and wait for the end; return the exit code."""
        self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), SECONDS)


@pytest.fixture
async def serve(tmp_path):
    """Start servers of one store: each goes on with what the one before left."""
    started = []

    async def start(*, port=0, **given):
        made = Process(tmp_path, port, **given)
        await made.start()
        started.append(made)
        return made

    yield start
    for each in started:
        if each.process.returncode is None:
            await each.end(signal.SIGKILL)


async def begin(client, server, preset="with-ana", asked=None, **headers):
    """Ask as the form does; return the address of the debate, without what the server remembers."""
    form = asked or {"question": "Should the depot move?", "kind": "boolean"}
    form |= dict.fromkeys(("protocol", "of"), f"preset:{preset}")
    asked = client.post(f"{server.url}/ask", data=form, allow_redirects=False, headers=headers)
    async with asked as answer:
        assert answer.status == 303, await answer.text()
        return re.sub(r"[?&]held=[^&]*", "", server.url + answer.headers["location"])


def page_text(client, url, status=200, **headers):
    return page_of(client, url, status, headers=headers)


async def find_links(client, server, debate, *people, **headers):
    """The links of people, as soon as all of them are asked."""
    links: dict[str, str] = {}
    async with asyncio.timeout(SECONDS):
        while not links.keys() >= {*people}:
            shown = await page_text(client, debate, **headers)
            links = dict(re.findall(r'To invite (\w+), send <a href="([^"]+)"', shown))
    return [server.url + links[each].replace("&amp;", "&") for each in people]


async def type_reply(page, text):
    await page.get_by_label("Your reply").fill(text)
    await page.get_by_role("button", name="Send the reply").click()
    await page.get_by_text("Your reply is taken.").wait_for()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_a_person_comes_back_after_a_restart(serve, browser, client, number):
    server = await serve()
    debate = await begin(client, server)
    async with browser() as tab:
        page = tab.page
        await page.goto(debate)
        await page.get_by_role("link", name="Reply as ana").click()
        assert "Should the depot move?" in await page.locator(".prompt").inner_text()
        await tab.sound()
        await type_reply(page, "It has to.\nFinal answer: true")
        await expect(page.get_by_role("heading", level=2)).to_have_text("mind-1, round 2")
        await page.get_by_text("2 earlier messages").click()
        await expect(page.get_by_text("It has to.")).to_be_visible()
        await page.get_by_label("Your reply").press_sequentially("I still hold")
        began = monotonic()
        code = await server.end(number)
        assert code in {0, -signal.SIGKILL}
        assert monotonic() - began < SHUTDOWN  # it does not wait for people
        server = await serve(port=server.port)
        await page.goto(debate)
        await expect(page.get_by_role("heading", level=1)).to_have_text(
            "This debate was interrupted before its end."
        )
        await tab.sound()
        await page.get_by_role("button", name="Go on with it").click()
        await page.get_by_role("link", name="Reply as ana").click()
        await expect(page.get_by_role("heading", level=2)).to_have_text("mind-1, round 2")
        await expect(page.get_by_label("Your reply")).to_have_value("I still hold")
        await type_reply(page, "I still hold that.\nFinal answer: true")
        await page.goto(debate)
        await page.get_by_text("It has to.").wait_for()
        await expect(page.locator(".result")).to_contain_text("true")
    shown = await page_text(client, debate + "/json")
    assert shown.count('"replayed":true') == 3  # the first round and the agent's second reply


async def test_an_invited_person_needs_no_token_and_gets_nothing_else(serve, browser, client):
    server = await serve(tokens=True)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    debate = await begin(client, server, "two", **bearer)
    link, _ = await find_links(client, server, debate, "ana", "bo", **bearer)
    async with browser() as tab:
        page = tab.page
        await page.goto(link)
        await expect(page.get_by_role("heading", level=1)).to_have_text("1 question for ana")
        assert await page.get_by_role("link", name="Runs").count() == 0
        await tab.sound()
        await type_reply(page, "Final answer: false")
        await expect(page.get_by_text("Nothing waits for a reply now.")).to_be_visible()
        await page.goto("about:blank")  # else the page loads itself again, meanwhile
        await server.end(signal.SIGTERM)
        server = await serve(port=server.port, tokens=True)
        await page.goto(link)  # it is good after a restart, too
        await expect(page.get_by_text("The debate does not go on now")).to_be_visible()
    other = link.replace("/people/ana", "/people/bo")
    for url, status in (
        (other, 404),
        (link[:-1] + ("A" if link[-1] != "A" else "B"), 404),
        (link.partition("?")[0], 401),
        (debate, 401),
        (f"{server.url}/runs", 401),
        (f"{server.url}/people/an%0D%0Aa", 401),
    ):
        await page_text(client, url, status)
    await page_text(client, f"{server.url}/people/an%0D%0Aa%22%3E", 200, **bearer)
    wrong = {"Sec-Fetch-Site": "cross-site"}
    async with client.post(link, data={"id": "x", "text": "y"}, headers=wrong) as answer:
        assert answer.status == 403  # a form of another site
    assert link.rpartition("key=")[2] not in (server.folder / "serve.toml").read_text()
    assert (server.folder / ".moot" / "people.key").stat().st_mode & 0o077 == 0


PASSAGE = (
    "The keeper of the lighthouse counted eleven ships before the storm took the northern pier "
    "away, and he wrote all of their names into a ledger with a green cover."
)


async def test_a_judge_by_a_link_never_gets_the_passage_or_what_is_right(serve, browser, client):
    server = await serve(tokens=True)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    asked = {"question": "How many ships did he count?", "choices": "Eleven ships\nSeven ships"}
    asked |= {"context": PASSAGE, "answer": "A"}
    debate = await begin(client, server, "hearing", asked, **bearer)
    [link], received = await find_links(client, server, debate, "ann", **bearer), list[str]()
    async with browser() as tab:
        page = tab.page
        await page.goto(link)
        await expect(page.get_by_role("heading", level=2)).to_have_text("judge, round 2")
        await tab.sound()
        received += [await page.content(), await page_text(client, link)]
        await type_reply(page, "<question>Where does it say so?</question>")
        prompt = page.locator(".prompt")
        await expect(prompt).to_contain_text("The judge:\nWhere does it say so?")
        assert "Eleven ships" in await prompt.inner_text()
        assert "Seven ships" in await prompt.inner_text()
        assert "<thinking>" not in await prompt.inner_text()
        assert await page.get_by_role("link", name="The debate").count() == 0
        received += [await page.content(), await page_text(client, link)]
        text = " ".join(" ".join(received).split())
        words = PASSAGE.split()
        runs = [" ".join(words[at : at + 5]) for at in range(len(words) - 4)]
        assert "How many ships did he count?" in text
        assert [run for run in runs if run in text] == []
        await type_reply(page, "I believe the first.\nVote: A")
    await page_text(client, f"{debate}/json", 401)  # where the passage and the answer stand
    async with asyncio.timeout(SECONDS):
        while '"verdict"' not in (held := await page_text(client, debate + "/json", **bearer)):
            await asyncio.sleep(0.1)
    assert PASSAGE in held
    assert '"by":"judge"' in held
