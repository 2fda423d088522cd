"""Questions that wait for people, and the keys of their links."""

import asyncio
import errno
import os

import pytest

from moot.contrib.server.people_desk import PeopleDesk, ask_for, read_secret
from moot.core.calls import Call, Draw, Message
from moot.core.errors import InputError, StoreError


def make_call(seat=0):
    return Call(model="human/ana", messages=(Message("user", "2 + 2?"),), draw=Draw(0, seat, 0))


async def test_a_question_waits_until_there_is_a_reply():
    desk = PeopleDesk(b"secret")
    with ask_for("ask-1", 0):
        first = asyncio.create_task(desk.ask("ana", make_call()))
        second = asyncio.create_task(desk.ask("bo", make_call(1)))
    await asyncio.sleep(0)
    assert [each.person for each in desk.list_waiting()] == ["ana", "bo"]
    assert desk.list_waiting("ana", "ask-2.0") == []
    [question] = desk.list_waiting("ana", "ask-1.0")
    with pytest.raises(InputError, match="empty"):
        desk.answer(question, " \n")
    desk.answer(question, " 4\n")
    assert desk.list_waiting("ana") == []  # a second reply finds no question
    assert await first == " 4\n"
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    assert desk.list_waiting() == []


def test_a_key_is_good_for_one_person_and_one_debate():
    desk = PeopleDesk(b"secret")
    key = desk.make_key("ana", "ask-1.0")
    assert desk.is_invited(key, "ana", "ask-1.0")
    assert not desk.is_invited(key, "bo", "ask-1.0")
    assert not desk.is_invited(key, "ana", "ask-1.1")
    assert not desk.is_invited("", "ana", "ask-1.0")
    assert not desk.is_invited("ä", "ana", "ask-1.0")
    assert not PeopleDesk(b"other").is_invited(key, "ana", "ask-1.0")


@pytest.mark.parametrize("size", [0, 5, 33])
def test_a_key_file_of_another_size_is_refused(tmp_path, size):
    (tmp_path / "people.key").write_bytes(b"x" * size)
    with pytest.raises(StoreError, match=rf"people.key.*{size} bytes.*delete"):
        read_secret(tmp_path)


@pytest.mark.parametrize("links", [True, False])
def test_the_secret_stays_and_is_of_this_user_alone(tmp_path, monkeypatch, links):
    def refuse(*_):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:  # a folder without hard links has one, too
        monkeypatch.setattr(os, "link", refuse)
    secret = read_secret(tmp_path / "store")
    assert len(secret) == 32
    assert read_secret(tmp_path / "store") == secret
    [file] = (tmp_path / "store").iterdir()
    assert (file.name, file.stat().st_mode & 0o077) == ("people.key", 0)
