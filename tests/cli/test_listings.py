"""``moot protocols NAME``."""

import json

import pytest


@pytest.fixture
def run(moot):
    return moot


def test_a_protocol_in_full_with_who_reads_whom(run):
    code, out, _ = run("protocols", "society-of-minds")
    assert code == 0
    assert out.startswith("society-of-minds: ")
    assert "#4 mind-1 round 2 revise  ○  ●  ●\n" in out
    assert "SIMULATED" not in out
    out = run("protocols", "society-of-minds", "--set", "rounds=3", "--set", "agents=2")[1]
    assert "who reads whom (rounds = 3, agents = 2)" in out
    assert "#6 mind-2 round 3 revise  ●  ○  ●  ○" in out
    said = json.loads(run("protocols", "network", "--json")[1])
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
    ],
)
def test_what_cannot_be_is_said(run, words, said):
    code, _, err = run(*words)
    assert code == 2
    assert said in err


def test_where_a_model_goes(run, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://proxy.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123")
    code, out, _ = run("models", "openai/gpt-4o-mini")
    assert code == 0
    for told in ("http://proxy.example/v1/chat/completions", "OPENAI_BASE_URL", "(set)", "64 at"):
        assert told in out
    assert "sk-secret" not in out
    assert "Now at http://proxy.example/v1, by OPENAI_BASE_URL." in " ".join(
        run("models")[1].split()
    )
    file = tmp_path / "study.toml"
    file.write_text(
        '[models.own]\nbase = "http://h/api"\nmodel = "m"\nheaders = { X = "hidden1" }\n'
    )
    code, out, _ = run("models", "own", "--file", str(file), "--json")
    known = json.loads(out)
    assert known["address"] == "http://h/api/chat/completions"
    assert (known["decided_by"], known["headers"]) == ("base of [models.own]", ["X"])
    assert "hidden1" not in out
    (tmp_path / "base.toml").write_text('name = "base"\n' + file.read_text())
    (tmp_path / "upper.toml").write_text('name = "upper"\nextends = "base.toml"\n')
    code, out, _ = run("models", "own", "--file", str(tmp_path / "upper.toml"), "--json")
    assert json.loads(out)["address"] == known["address"]  # of the study that this one extends
    code, _, said = run("models", "nowhere/m")
    assert code == 2
    assert "nowhere" in said
