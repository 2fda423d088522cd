"""Questions from a hub on loopback: fetched once, pinned, and read without a network."""

import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library
from support.hub_server import COMMIT, LATER, TOKEN, hub_of

ROWS = [
    {"ask": "Which bird cannot fly?", "all": {"text": ["robin", "emu"]}, "label": 1},
    {"ask": "Which bird sings?", "all": {"text": ["robin", "stork"]}, "label": 0},
]
NAMED = {"repo": "someone/birds", "file": "data/test.jsonl"}
READ = NAMED | {
    "columns": {"question": "ask", "choices": "all.text", "answer": "label"},
    "first": 0,
}
PATH = "datasets/someone/birds/data/test.jsonl"


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
async def server(monkeypatch):
    async with hub_of(monkeypatch) as here:
        here.bodies[PATH] = lines(ROWS)
        yield here


@pytest.mark.parametrize("large", [True, False])
async def test_a_file_is_fetched_once_and_read_without_the_hub(server, data, large):
    server.large = large
    told = []
    [kept] = await library.fetch("hub", lambda *sizes: told.append(sizes), **NAMED)
    assert kept.path == data / "hub" / "someone" / "birds" / COMMIT / "data" / "test.jsonl"
    assert told[-1][::2] == ("data/test.jsonl", len(server.bodies[PATH]))
    server.status = 500
    before = len(server.seen)
    found = library.questions("hub", **READ)
    assert [(q.id, q.answer) for q in found] == [("test-1", "B"), ("test-2", "A")]
    assert found[0].choices == ("robin", "emu")
    assert library.peek("hub", 1, **READ) == found[:1]
    assert library.questions("hub", n=1, **READ)[0] in found
    assert len(server.seen) == before


async def test_the_file_is_asked_for_at_the_commit_and_the_token_stays_with_the_hub(server):
    await library.fetch("hub", **NAMED)
    assert {(who, token) for who, _, token, _ in server.seen} == {
        ("hub", f"Bearer {TOKEN}"),
        ("storage", None),
    }
    again = len(server.seen)
    await library.fetch("hub", **NAMED)  # what is main now?
    assert [how for _, how, _, _ in server.seen[again:]] == ["HEAD"]
    again = len(server.seen)
    for _ in range(2):
        [kept] = await library.fetch("hub", revision=COMMIT, **NAMED)
    assert [how for _, how, _, _ in server.seen[again:]] == ["HEAD"]
    assert COMMIT in str(kept.path)


async def test_a_branch_moves_when_it_is_fetched_and_a_commit_never(server):
    await library.fetch("hub", **NAMED)
    await library.fetch("hub", revision=COMMIT, **NAMED)
    server.commit, server.bodies[PATH] = LATER, lines(ROWS[:1])
    assert len(library.questions("hub", **READ)) == 2
    await library.fetch("hub", **NAMED)
    assert len(library.questions("hub", **READ)) == 1
    assert len(library.questions("hub", revision=COMMIT, **READ)) == 2


async def test_an_endpoint_that_tells_no_commit_is_pinned_by_the_hash(server):
    server.commit = None
    [kept] = await library.fetch("hub", **NAMED)
    [version] = {part for part in kept.path.parts if len(part) == 64}
    assert len(library.questions("hub", **READ)) == 2
    server.bodies[PATH] = lines(ROWS[:1])
    [kept] = await library.fetch("hub", **NAMED)
    assert version not in kept.path.parts
    assert len(library.questions("hub", **READ)) == 1


async def test_a_file_that_has_changed_is_damaged_and_can_be_fetched_again(server):
    [kept] = await library.fetch("hub", **NAMED)
    kept.path.write_bytes(b"{}")
    with pytest.raises(InputError, match=r"@main is damaged; .*'moot data fetch hub --set repo=so"):
        library.questions("hub", **READ)
    await library.fetch("hub", **NAMED)
    assert len(library.questions("hub", **READ)) == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "repo is ''; write OWNER/NAME"),
        ({"repo": "someone/birds"}, "file is ''"),
        (NAMED | {"revision": "a b"}, "revision is 'a b'"),
        ({"repo": "../..", "file": "x.csv"}, "repo is "),
    ],
)
async def test_what_is_not_given_is_named_before_any_request(server, given, says):
    with pytest.raises(InputError, match=f"dataset 'hub': {says}"):
        library.questions("hub", **given)
    with pytest.raises(InputError, match=f"dataset 'hub': {says}"):
        await library.fetch("hub", **given)
    assert server.seen == []


def test_a_copy_is_a_file_of_the_user_s(tmp_path):
    with pytest.raises(InputError, match="a file you have is read by dataset 'file'"):
        library.add("hub", tmp_path)
