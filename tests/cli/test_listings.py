"""``moot protocols``, ``moot models`` and ``moot studies``, with a name."""

import json

import pytest

from moot.studies.sources import SHIPPED, list_shipped_names
from support.commands import printed, refused


def test_a_protocol_in_full_with_who_reads_whom(moot):
    out = printed(moot("protocols", "society-of-minds"))
    assert out.startswith("society-of-minds: ")
    assert "#4 mind-1 round 2 revise  ○  ●  ●\n" in out
    assert "SIMULATED" not in out
    out = moot("protocols", "society-of-minds", "--set", "rounds=3", "--set", "agents=2")[1]
    assert "who reads whom (rounds = 3, agents = 2)" in out
    assert "#6 mind-2 round 3 revise  ●  ○  ●  ○" in out
    said = json.loads(moot("protocols", "network", "--json")[1])
    assert (said["calls"], said["fewest"], said["most"]) == ("nodes + 1", 29, 29)
    assert [node["reads"] for node in said["rehearsal"]["nodes"]] == [[], [], ["C2"], ["C3"]]
    assert len(said["rehearsal"]["turns"]) == 29


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["protocols", "society-of-mind"], "did you mean 'society-of-minds'?"),
        (["protocols", "single", "--set", "agents=2"], "unknown setting 'agents'"),
        (["protocols", "network", "--set", "graph=ring"], "setting graph = 'ring'"),
        (["protocols", "--set", "agents=2"], "name the protocol"),
        (["studies", "dem"], "unknown study 'dem'; did you mean 'demo'?"),
    ],
)
def test_what_cannot_be_is_said(moot, words, said):
    assert said in refused(moot(*words))


def test_where_a_model_goes(moot, tmp_path):
    own = {"OPENAI_BASE_URL": "http://proxy.example/v1", "OPENAI_API_KEY": "sk-secret-0123"}
    out = printed(moot("models", "openai/gpt-4o-mini", **own))
    for told in ("http://proxy.example/v1/chat/completions", "OPENAI_BASE_URL", "(set)", "64 at"):
        assert told in out
    assert "sk-secret" not in out
    listed = " ".join(moot("models", **own)[1].split())
    assert "Now at http://proxy.example/v1, by OPENAI_BASE_URL." in listed
    model = '[models.own]\nbase = "http://h/api"\nmodel = "m"\nheaders = { X = "hidden1" }\n'
    (tmp_path / "base.toml").write_text('name = "base"\n' + model)
    (tmp_path / "upper.toml").write_text('name = "upper"\nextends = "base.toml"\n')
    for file in ("base.toml", "upper.toml"):
        out = moot("models", "own", "--file", file, "--json")[1]
        known = json.loads(out)
        assert known["address"] == "http://h/api/chat/completions"
        assert known["headers"] == ["X"]
        assert "hidden1" not in out
    assert known["decided_by"] == "base of [models.own]"
    code, _, said = moot("models", "nowhere/m")
    assert (code, "nowhere" in said) == (2, True)


def test_every_shipped_study_is_listed_and_printed_as_it_stands(moot):
    out = moot("studies")[1]
    told = json.loads(moot("studies", "--json")[1])
    assert [each["name"] for each in told] == list_shipped_names()
    assert all(each["name"] in out and each["summary"][:20] in out for each in told)
    assert moot("studies", "demo")[1] == (SHIPPED / "demo.toml").read_text()
