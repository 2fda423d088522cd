"""A feature that another package brings, in one file, and what one that is off costs."""

import json
import subprocess
import sys

import pytest

from moot.debate import feature
from moot.debate.debate_settings import DebateSettings
from moot.debate.protocol import registry

WORDS = """
from typing import Annotated

import msgspec
from msgspec import Meta

from moot import InputError
from moot.extend.protocols import Feature


class WordSettings(msgspec.Struct, frozen=True, kw_only=True):
    words: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="the most words of a reply")
    ] = None


class AgentWords(msgspec.Struct, frozen=True, kw_only=True):
    words: Annotated[int, Meta(ge=1)] | msgspec.UnsetType = msgspec.UNSET


class Words(Feature):
    names = ("words",)
    Settings = WordSettings
    PerAgent = AgentWords

    def check(self, own, whole, place, pack):
        if own.words is not None and own.words < 3:
            raise InputError(f"{place}: setting words: nobody says anything in {own.words} words")
        return own

    def content(self, own, whole):
        return [own.words or 0]

    def lines(self, state, exchange):
        most = exchange.agent.config.own.get("words", state.words)
        return f"Use at most {most} words." if most else ""
"""
RUN = """
import asyncio, json, sys
import moot
from moot.cli.setting_flags import find_setting
from moot.contrib.server.pages.form_fields import list_form_fields
from moot.debate.protocol import registry

def lines(call):
    return [line for line in call.messages[-1].content.splitlines() if line.startswith("Use at")]

async def ask(**settings):
    seen = []
    def say(call):
        seen.append([call.scene.agent, *lines(call)])
        return "Final answer: " + str(len(seen))
    model = moot.Scripted(say)
    given = {"kind": "number", "model": model, "store": sys.argv[1], **settings}
    answer = await moot.ask("What is 1 + 1?", **given)
    return seen, answer.settings.get("words"), answer.run

async def main():
    society = {"protocol": "society-of-minds", "agents": 2, "rounds": 1}
    found = {
        "off": await ask(**society),
        "all": await ask(**society, words=5),
        "one": await ask(**society | {"agents": [{"words": 7}, {}]}),
        "gate": await ask(protocol="agreement-gate", agents=2, rounds=2, words=6),
        "network": await ask(protocol="network", graph="cascade", agents=2, rounds=1, words=4),
    }
    for wrong in ({"words": 2}, {"words": 0}, {"word": 3}):
        try:
            registry.get("single").check(wrong)
        except moot.InputError as error:
            found[json.dumps(wrong)] = str(error)
    single = registry.get("single")
    found["flag"] = find_setting("--words")
    found["described"] = [each.help for each in single.described_settings if each.name == "words"]
    fields = [each for each in list_form_fields(single, {}) if each.name == "words"]
    found["form"] = [[each.kind, each.low] for each in fields]
    print(json.dumps(found))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What a process says in which a package brings the setting ``words``."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "words.py").write_text(WORDS)
    info = folder / "words-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: words\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[moot.features]\nwords = words:Words\n")
    command = [sys.executable, "-c", f"import sys\nsys.path.append({str(folder)!r})\n{RUN}"]
    done = subprocess.run(
        [*command, str(folder / "store")], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_stranger_s_feature_is_in_prompts_of_all_or_of_one_agent(found):
    assert found["off"][:2] == [[["mind-1"], ["mind-2"]], None]
    assert [each[1:] for each in found["all"][0]] == [["Use at most 5 words."]] * 2
    assert found["all"][1] == 5
    assert found["one"][0] == [["mind-1", "Use at most 7 words."]]  # the other's draw is known
    assert len({found[name][2] for name in ("off", "all", "one")}) == 3


def test_a_stranger_s_feature_holds_behind_a_gate_and_in_nodes(found):
    for name, most in (("gate", 6), ("network", 4)):
        said = found[name][0]
        assert len(said) > 2
        assert all(each[1:] == [f"Use at most {most} words."] for each in said)


def test_a_stranger_s_setting_is_checked_and_shown_as_ours(found):
    assert "nobody says anything in 2 words" in found['{"words": 2}']
    assert "setting words = 0" in found['{"words": 0}']
    assert "did you mean words" in found['{"word": 3}'] or "words" in found['{"word": 3}']
    assert found["flag"] == ["words", None]
    assert found["described"] == ["the most words of a reply"]
    assert found["form"] == [["integer", "1"]]


def test_what_is_off_is_what_the_settings_of_the_feature_say():
    """The tables by which nothing is imported for a feature that is off say the truth."""
    for name, usual in {**feature.ALWAYS, **feature.OFF}.items():
        found = feature.find_feature(name)
        assert getattr(found.Settings(), name) == usual
        assert name in found.names
    for protocol in registry:
        assert not protocol.read(protocol.check({}, absent=True)).features or protocol.check(
            {}, absent=True
        ).get("confidence")


def test_an_agent_without_tools_in_a_debate_without_any_makes_no_calls():
    society = registry.get("society-of-minds")
    assert society.count(society.check({"agents": [{"tools": []}, {}]})) == (4, 4)


def test_features_are_in_one_order_wherever_settings_stand():
    settings = {"tools": [{"name": "a", "command": "b"}], "evidence": "docs", "opening": "put"}
    turned = dict(reversed(settings.items()))
    both = [
        [each.feature.names[0] for each in DebateSettings(s).features] for s in (settings, turned)
    ]
    assert both == [["opening", "evidence", "tools"]] * 2
