"""The file that says what clients may use and spend."""

import pytest

from moot.contrib.server.config import config_from, read_config, with_options
from moot.core.errors import InputError
from moot.runtime.budget import Budget

FILE = """
models = ["simulated/crowd", "openrouter/*"]
protocols = ["single", "society-of-minds"]
hosts = ["Moot.Example"]
pages = false

[presets.careful]
protocol = "society-of-minds"
model = "simulated/crowd"
agents = 4
prompts = "own.toml"
about = "Four agents."

[limits]
debates = 3
request = { calls = 20, cost = 0.5 }
hour = { tokens = 1000 }

[clients.alice]
token_env = "ALICES_TOKEN"
hour = { cost = 2 }

[clients.bob]
token_file = "token"

[prices."simulated/crowd"]
input = 1
output = 2
"""


def test_a_file_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("ALICES_TOKEN", "a-token-of-some-length")
    (tmp_path / "own.toml").write_text("")
    path = tmp_path / "serve.toml"
    path.write_text(FILE, encoding="utf-8-sig")  # byte order marks are skipped
    (tmp_path / "token").write_text("b-token-of-some-length\n", encoding="utf-8-sig")
    config = read_config(path)
    assert config.clients["bob"].token == "b-token-of-some-length"
    assert config.models == ("simulated/crowd", "openrouter/*")
    assert config.hosts == ("moot.example",)
    assert config.presets["careful"].settings == {"model": "simulated/crowd", "agents": 4}
    assert config.presets["careful"].prompts == tmp_path / "own.toml"
    assert config.limits.debates == 3
    assert config.limits.request == Budget(calls=20, cost=0.5)
    assert config.limits.hour == Budget(tokens=1000)
    assert config.clients["alice"].hour == Budget(cost=2)
    assert "-token" not in repr(config)
    assert read_config() == config_from()  # without a file
    assert config_from().models == ("local/smollm2",)
    assert "single" in config_from().protocols
    monkeypatch.setenv("MOOT_MODEL", "simulated/crowd")
    assert config_from().models == ("simulated/crowd",)
    with pytest.raises(InputError, match=r"none\.toml: No such file"):
        read_config(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("modles = []", "did you mean 'models'"),
        ("models = 'x'", "models"),
        ("models = ['gpt-4o']", "write provider/model"),
        ("models = ['opneai/x']", "did you mean 'openai'"),
        ("models = ['*']", "provider"),
        ("models = ['*/x']", "not for a provider"),
        ("models = ['http://10.0.0.1:*/v1/x']", "the host or the port|not for a provider"),
        ("models = ['openai/*?key=A_B']", "not for a provider"),
        ("protocols = ['singel']", "did you mean 'single'"),
        ("[limits]\ndebates = 0", "limits: debates"),
        ("[limits.request]\ncosts = 1", "did you mean 'cost'"),
        ("[limits.request]\ncost = -1", "limits.request"),
        ("[limits]\nhour = 3", "limits.hour: expected a table"),
        ("[presets.x]\nmodel = 'simulated/a'", "presets.x"),
        ("[presets.x]\nprotocol = 'single'\nagnets = 3", "agnets"),
        ("[presets.x]\nprotocol = 'single'\nprompts = 'none.toml'", "no such file"),
        *(
            (f"[presets.x]\nprotocol = 'tool-debate'\nsources = ['a.b', 'c']\ntools = {tools}", why)
            for tools, why in (("[5]", "tools"), ("[{ command = 'x' }]", "tools.*name"))
        ),
        ("[clients.a]", "give one of token_env"),
        ("[clients.a]\ntoken = 'secret-secret-secret'", "token_env"),
        ("[clients.a]\ntoken_env = 'NOT_SET'", "NOT_SET holds no token"),
        ("[clients.a]\ntoken_env = 'SHORT'", "SHORT holds no token"),
        ("[clients.a]\ntoken_file = 'none'", "No such file"),
        ("[prices.x]\ninput = 1", "prices.x"),
        ("models = [", "Invalid value"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, monkeypatch, text, told):
    monkeypatch.setenv("SHORT", "hunter2")
    path = tmp_path / "serve.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=told) as error:
        read_config(path)
    assert "hunter2" not in str(error.value)
    assert "secret-secret" not in str(error.value)


def test_the_command_line_goes_over_the_file(monkeypatch):
    monkeypatch.setenv("OUR_TOKEN", "a-token-of-some-length")
    config = with_options(config_from(), models=["simulated/a"], token_env="OUR_TOKEN")
    assert (config.models, list(config.clients)) == (("simulated/a",), ["owner"])
    with pytest.raises(InputError, match="rename it"):
        with_options(config, token_env="OUR_TOKEN")
    with pytest.raises(InputError, match="--model"):
        with_options(config_from(), models=["nonsense/x"])


def test_models_of_the_command_line_are_a_council_that_clients_may_ask():
    config = with_options(config_from(models=["simulated/x"]), seats=["simulated/a", "simulated/b"])
    assert config.models == ("simulated/x", "simulated/a", "simulated/b")
    preset = config.presets["council-of-models"]
    cast = [{"model": "simulated/a"}, {"model": "simulated/b"}]
    assert preset.protocol == "council"
    assert preset.settings == {"agents": 2, "cast": cast, "model": "simulated/a"}
    assert "simulated/a, simulated/b" in preset.about
    own = {"council-of-models": {"protocol": "single", "model": "simulated/a"}}
    with pytest.raises(InputError, match="rename it"):
        with_options(config_from(presets=own), seats=["simulated/a", "simulated/b"])
    with pytest.raises(InputError, match="--models"):
        with_options(config_from(), seats=["nowhere/a"])
