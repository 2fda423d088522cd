"""Logs of Inspect: what moot exported comes back, and a missing reader is named."""

import json
import os
import subprocess
from types import SimpleNamespace
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from moot import InputError
from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedQuestion,
    LoggedTurn,
)
from moot.contrib.imports.inspect_messages import read_turns, to_messages
from moot.reports.export.run_export import export_runs
from moot.studies.lab import Lab
from reports.export.conftest import *  # noqa: F403 -- a run with everything an export carries
from support import environments as clients

READ = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
header = log.eval.model_dump(mode="json")
print(json.dumps([header, [each.model_dump(mode="json") for each in log.samples]]))
"""


def model(value):
    return SimpleNamespace(model_dump=lambda **_: value)


class Reader:
    """What moot asks of ``inspect_ai.log``, from the entries of a log as they stand."""

    def read_eval_log(self, path, *, header_only, resolve_attachments):
        assert resolve_attachments
        header, samples = self.load(path)
        assert header_only
        self.samples = {(each["id"], each["epoch"]): each for each in samples}
        return SimpleNamespace(eval=model(header), samples=None)

    def read_eval_log_sample_summaries(self, path):
        return [SimpleNamespace(id=name, epoch=epoch) for name, epoch in self.samples]

    def read_eval_log_sample(self, path, name, epoch, *, resolve_attachments):
        return model(self.samples[name, epoch])

    def load(self, path):
        with ZipFile(path) as archive:
            names = [each for each in archive.namelist() if each.startswith("samples/")]
            samples = [json.loads(archive.read(each)) for each in names]
            return json.loads(archive.read("header.json"))["eval"], samples


class TrueReader(Reader):
    """The same, as Inspect itself reads a log, in an environment of its own."""

    def load(self, path):
        done = subprocess.run(
            [clients.python(), "-c", READ, str(path)],
            env=os.environ | {"HOME": str(path.parent)},
            capture_output=True,
            check=True,
            timeout=60,
        )
        return json.loads(done.stdout)


@pytest.fixture
async def logs(store, run, tmp_path):
    await export_runs(Lab(tmp_path, store), [run.key], form="inspect", out=tmp_path / "logs")
    return tmp_path / "logs"


def take(monkeypatch, reader):
    loaded = {"inspect_ai.log": reader}
    monkeypatch.setattr("moot.contrib.imports.formats.inspect.import_module", loaded.__getitem__)


@pytest.mark.parametrize("reader", [Reader, pytest.param(TrueReader, marks=pytest.mark.soak)])
def test_what_moot_exports_comes_back(logs, held, read, monkeypatch, reader):
    take(monkeypatch, reader())
    debates, unread, _ = read(logs, form="inspect")
    assert not unread
    assert len(debates) == len(held)
    found = {
        (each.settings["arm"], each.dataset, each.id, each.replicate): each for each in debates
    }
    for arm, dataset, transcript in held:
        opened, question = transcript.opened, transcript.question
        back = found[arm, dataset, question.id, opened.replicate]
        assert [(turn.answer, turn.round, turn.reads) for turn in back.turns] == [
            (turn.answer, turn.round, turn.reads) for turn in transcript.turns
        ]
        assert back.method == opened.protocol
        verdict = transcript.verdict
        if verdict is None:
            assert "it hung up" in back.error
        elif not question.secret and question.answers:
            assert back.verdict.answer == verdict.answer
            assert [turn.text for turn in back.turns] == [turn.text for turn in transcript.turns]


def test_without_the_reader_the_error_says_how_to_install_it(logs, read, monkeypatch):
    def fail(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("moot.contrib.imports.formats.inspect.import_module", fail)
    with pytest.raises(InputError, match=r"pip install 'moot\[inspect\]'"):
        read(logs)


def test_a_damaged_log_is_named(write, read, monkeypatch):
    take(monkeypatch, Reader())
    path = write({"version": 2, "status": "success", "eval": {}}, "x.eval")
    with pytest.raises(InputError, match=r"x\.eval: Inspect cannot read it: BadZipFile"):
        read(path)


def test_an_archive_that_inflates_without_end_is_refused(tmp_path, read, monkeypatch):
    take(monkeypatch, Reader())
    monkeypatch.setattr("moot.contrib.imports.formats.inspect.FREE", 1000)
    path = tmp_path / "x.eval"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 5_000_000)
    with pytest.raises(InputError, match="a zip bomb"):
        read(path)


def test_the_open_format_goes_to_messages_and_back():
    turns = (
        LoggedTurn(
            agent="a",
            text="4",
            round=1,
            prompt=(LoggedMessage(role="system", content="Add."),),
            answer="4",
            thought="2 and 2",
            completion_tokens=3,
        ),
        LoggedTurn(
            agent="judge",
            text="Yes.",
            round=2,
            reads=(1,),
            votes=False,
            reading={"kind": "standings", "scores": {"4": 1.0}},
            model="other",
        ),
    )
    agents = (
        LoggedAgent(name="a", model="m"),
        LoggedAgent(name="judge", model="other", role="judge", answers=False),
    )
    debate = LoggedDebate(
        id="q", question=LoggedQuestion(text="2 + 2?"), agents=agents, turns=turns
    )
    messages = to_messages(debate)
    assert [each["role"] for each in messages] == ["user", "system", "assistant", "assistant"]
    found = read_turns(json.loads(json.dumps(messages)))
    assert found[0] == agents
    assert [turn.text for turn in found[1]] == ["4", "Yes."]
    assert found[1][0] == turns[0]
    assert found[1][1].reading == turns[1].reading
    assert found[1][1].reads == (1,)


def test_a_talk_of_any_solver_has_prompts_and_models():
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "2 + 2?", "source": "input"},
        {"role": "assistant", "content": [{"type": "text", "text": "4"}], "model": "openai/x"},
        {"role": "user", "content": "Sure?"},
        {"role": "assistant", "content": "Yes.", "model": "openai/x"},
    ]
    agents, turns = read_turns(messages)
    assert [(agent.name, agent.model) for agent in agents] == [("openai/x", "openai/x")]
    assert [[each.content for each in turn.prompt] for turn in turns] == [["Be brief."], ["Sure?"]]
