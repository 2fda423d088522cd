"""A debate follows its paper, or the paper's code, by what one table says of it, and no other."""

import json

import pytest

import moot
from moot.core.errors import InputError
from moot.core.stored import Arm
from moot.debate.debate_settings import hash_packs
from moot.debate.faithful import describe_arms, describe_followed, list_differences, list_settings
from moot.debate.protocol import registry
from moot.parsing.parser import registry as parsers
from moot.prompts.templates import check_template
from moot.reports.portrait import describe_protocol
from moot.studies.study_file import load
from support.chaos import Chaos
from support.debates import KINDS

SOURCED = [each for each in registry if each.sources]
EVERY = [pytest.param(each, of, id=f"{each.name}-{of}") for each in SOURCED for of in each.sources]
PAPERS = {
    *("society-of-minds", "multi-persona", "chateval", "self-consistency", "ensemble-refinement"),
    *("medprompt", "single", "solo-performance", "exchange-of-thought", "agentverse"),
    *("chateval-scored", "multi-persona-proposals", "debate-moderated", "consultancy", "camel"),
    *("langgraph", "autogen", "community", "network", "debate-to-write"),
}
PICK = KINDS[2]


def test_the_protocols_of_the_five_papers_can_follow_them():
    assert {each.name for each in SOURCED} >= PAPERS


@pytest.mark.parametrize("protocol", SOURCED, ids=lambda each: each.name)
def test_each_difference_is_told_once_and_each_source_has_its_way(protocol):
    differences = list_differences(protocol)
    told = [item.partition(":")[0] for item in describe_protocol(protocol).differs]
    assert sorted(told) == sorted(differences)
    for name, each in differences.items():
        for source in protocol.sources:
            assert each.of(source) is not None, f"{name}: nothing is said of {source}"
            assert each.of(source) != "not followed" or each.why, f"{name}: it needs a reason"


@pytest.mark.parametrize(("protocol", "source"), EVERY)
def test_what_a_source_sets_is_a_setting_with_a_legal_value_and_set_once(protocol, source):
    usual = {**protocol.omitted, **protocol.check({}, absent=True)}
    wanted: dict = {}
    for name, value in list_settings(protocol, source, {}):
        assert wanted.setdefault(name, value) == value, f"two differences set {name}"
        read = {**usual, **protocol.check({name: value}, absent=True)}
        assert read[name] == value
    found = {**usual, **protocol.check({"faithful": source}, absent=True)}
    unlike = {name: found[name] for name in found if found[name] != usual[name]}
    for node in unlike.pop("nodes", ()):  # a community follows the same, by its own table
        assert node["faithful"] == source
        assert node["constrained"] is False
        assert node.get("free_judge", False) is wanted["free_judge"]
    assert unlike == {
        "faithful": source,
        **{name: value for name, value in wanted.items() if usual[name] != value},
    }


@pytest.mark.parametrize(("protocol", "source"), EVERY)
def test_prompts_of_another_meaning_are_there_where_a_difference_says_so(protocol, source):
    ours, theirs = protocol.pack(), protocol.pack(None, source)
    for step in theirs._steps.values():
        check_template(step.source, where=step.where)
        parsers.get(step.reads_as)
    has = any(each.of(source) == "words" for each in list_differences(protocol).values())
    shares = "Answers" in list_differences(protocol)  # the form of an answer is the source's, too
    assert (ours.digest != theirs.digest) == (has or shares)


@pytest.mark.parametrize("protocol", SOURCED, ids=lambda each: each.name)
def test_ours_changes_no_setting_no_prompt_and_no_key(protocol):
    usual, ours = (protocol.check(each, absent=True) for each in ({}, {"faithful": "ours"}))
    assert ours == usual
    assert [*hash_packs(protocol.read(ours), None)] == [*hash_packs(protocol.read(usual), None)]
    assert describe_followed(protocol.name, ours) is None


@pytest.mark.parametrize(("protocol", "source"), EVERY)
def test_stated_settings_come_first_and_last_when_they_are_read_again(protocol, source):
    for name, value in list_settings(protocol, source, {}):
        stated = {**protocol.omitted, **protocol.check({}, absent=True)}[name]
        found = protocol.check({"faithful": source, name: stated}, absent=True)
        assert found[name] == stated
        assert protocol.check(found, absent=True) == found
        followed = describe_followed(protocol.name, found)
        assert followed is not None
        assert followed.stated == ({name: stated} if stated != value else {})


def test_a_source_that_there_is_not_is_named_with_those_there_are():
    with pytest.raises(InputError, match="faithful = 'code': the paper's code is not followed by"):
        registry.get("chateval-scored").check({"faithful": "code"})
    with pytest.raises(InputError, match="expected one of ours, paper, code"):
        registry.get("chateval").check({"faithful": "book"})
    with pytest.raises(InputError, match="unknown setting 'faithful'"):
        registry.get("ballot").check({"faithful": "paper"})


def test_a_caption_says_what_is_followed_what_is_stated_and_what_is_not():
    protocol = registry.get("multi-persona")
    settings = protocol.check({"faithful": "code", "temperature": 0.7})
    [told] = describe_arms([Arm(name="mp", protocol="multi-persona", settings=settings)])
    assert told.startswith("mp follows the paper's code: ")
    for part in ("replies = agreement", "ends_by = answer", "constrained = false", "top_p = 0.5"):
        assert part in told
    assert "Stated otherwise: temperature = 0.7." in told
    assert told.endswith("Not followed: Unread replies, Domain, First call.")


def test_a_study_crosses_the_sources_like_any_factor(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(
        'name = "s"\n[settings]\nmodel = "simulated/people"\n[[datasets]]\nname = "arithmetic"\n'
        'n = 2\n[[arms]]\nprotocol = "consultancy"\nfaithful = ["ours", "paper", "code"]\n'
    )
    arms = {arm.name: arm.settings for arm in load(file).arms}
    found = [arms[f"consultancy faithful={of}"] for of in ("ours", "paper", "code")]
    assert [each.get("faithful") for each in found] == [None, "paper", "code"]
    assert [each.get("decides") for each in found] == [None, "primary", None]


@pytest.mark.parametrize("value", ['["ours", "paper", "code"]', "5", "[]", '["paper", 5]'])
def test_a_study_crosses_the_sources_in_its_settings_too(tmp_path, value):
    file = tmp_path / "s.toml"
    file.write_text(
        f'name = "s"\n[settings]\nmodel = "simulated/people"\nfaithful = {value}\n[[datasets]]\n'
        'name = "arithmetic"\nn = 2\n[[arms]]\nprotocol = "consultancy"\n'
    )
    if "ours" not in value:
        with pytest.raises(InputError, match="faithful"):
            load(file)
        return
    arms = load(file).arms
    assert [arm.settings.get("faithful") for arm in arms] == [None, "paper", "code"]
    assert [arm.name for arm in arms] == [
        f"consultancy faithful={of}" for of in ("ours", "paper", "code")
    ]


STUDY = """
name = "s"
[settings]
model = "simulated/people"
faithful = "code"
[[datasets]]
name = "arithmetic"
n = 2
[[arms]]
protocol = "consultancy"
[[arms]]
protocol = "chateval-scored"
[[arms]]
protocol = "ballot"
"""


def test_a_source_of_a_whole_study_holds_for_protocols_that_have_it(tmp_path):
    (tmp_path / "s.toml").write_text(STUDY)
    arms = load(tmp_path / "s.toml").arms
    assert [arm.settings.get("faithful") for arm in arms] == ["code", None, None]
    told = describe_arms(arms)
    assert [each.partition(" ")[0] for each in told] == ["consultancy", "chateval-scored"]
    assert told[1] == "chateval-scored is moot's own: the paper's code has no such protocol."


async def _sent(server, protocol, tmp_path, **settings):
    """Return the bodies of all requests of a debate over HTTP."""
    before = len(server.seen)
    await moot.ask(
        PICK.text,
        choices=PICK.choices,
        protocol=protocol,
        model=f"{server.url}/ok",
        store=tmp_path / f"{protocol}-{len(server.seen)}",
        **settings,
    )
    return [each["request"] for each in server.seen[before:]]


@pytest.mark.parametrize(
    ("protocol", "source"), [each for each in EVERY if each.values[0].is_installed]
)
async def test_a_server_is_sent_what_the_table_says(protocol, source, tmp_path):
    examples = {}
    if "few-shot" in str(dict(list_settings(protocol, source, {})).get("style")):
        examples = {"style": "cot"}  # a question of one's own has no worked examples
    async with Chaos() as server:
        ours = await _sent(server, protocol.name, tmp_path)
        theirs = await _sent(server, protocol.name, tmp_path, faithful=source, **examples)
    wanted = {**protocol.check({}), **protocol.check({"faithful": source, **examples})}
    assert ours
    assert theirs
    assert {each.get("top_p") for each in theirs} == {wanted["top_p"]}
    assert max(each["temperature"] for each in theirs) == wanted["temperature"]
    held = [each for each in theirs if "response_format" in each]
    assert not (held and wanted.get("constrained") is False)
    if any(each.of(source) == "words" for each in list_differences(protocol).values()):
        texts = [{json.dumps(each["messages"]) for each in sent} for sent in (ours, theirs)]
        assert texts[0] != texts[1]
