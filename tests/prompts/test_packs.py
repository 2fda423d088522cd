"""A user's prompts are laid over moot's own, and a mistake in them is named before any call."""

import os
import tomllib
from inspect import getfile
from itertools import product
from pathlib import Path

import msgspec
import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.questions import Example, Question, QuestionDocument
from moot.debate.protocol import registry
from moot.prompts.packs import ALONE, HERE, NAMED, Step, load_pack
from moot.prompts.templates import check_template, slots_of
from support.debates import hold, kinds_for, says

SOCIETY = registry.get("society-of-minds")


@pytest.fixture
def overlay(tmp_path):
    def write(text: str):
        (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
        return tmp_path / "mine.toml"

    return write


def fault(protocol, path) -> InputError:
    with pytest.raises(InputError) as caught:
        protocol.pack(path)
    assert str(caught.value).startswith((str(path), f"prompts {path}"))
    return caught.value


def test_exact_wording_takes_the_place_of_ours(overlay):
    exact = "These are the solutions: {% for other in others %}<{{ other.text }}>{% endfor %} Now?"
    path = overlay(f"[society-of-minds.step.revise]\ntext = '{exact}'\n")
    ours, theirs = SOCIETY.pack(), SOCIETY.pack(path)
    others = [{"text": "a {{ b }}", "label": "x"}, {"text": "c", "label": "y"}]
    assert theirs.step("revise").render({"others": others}) == (
        "These are the solutions: <a {{ b }}><c> Now?"
    )
    assert theirs.digest != ours.digest
    assert SOCIETY.pack(path).digest == theirs.digest
    assert theirs.step("cot").source == ours.step("cot").source


def test_what_is_for_all_protocols_is_for_all_and_what_is_for_one_is_for_one(overlay):
    path = overlay(
        "[form.number]\ntext = 'A number, please.'\n"
        "[question]\ntext = 'Q: {{ text }}'\n"
        "[style.cot]\ntext = '{{ question }} Think. {{ form }}'\n"
        "[multi-persona.role.judge]\ntext = 'Judge: {{ question }}'\n"
        "[single.style.cot]\ntext = '{{ question }} Alone. {{ form }}'\n"
    )
    number = Question(id="n", kind="number", text="1+1")
    for name in registry.names():
        pack = registry.get(name).pack(path)
        assert pack.plain("form", "number") == "A number, please."
        assert pack.question(number) == "Q: 1+1"
        said = pack.step("cot").render({"question": "Q", "form": "F"})
        assert said == ("Q Alone. F" if name == "single" else "Q Think. F")
    judge = registry.get("multi-persona").pack(path).role("judge")
    assert judge.render({"question": "Q"}) == "Judge: Q"


@pytest.mark.parametrize(
    ("text", "said", "nearest"),
    [
        ("[style.cott]\ntext='x'", "unknown style prompt 'cott'", "cot"),
        ("[form.numbr]\ntext='x'", "unknown form prompt 'numbr'", "number"),
        ("[step.revize]\ntext='x'", "unknown step prompt 'revize'", "revise"),
        ("[styles.cot]\ntext='x'", "unknown table 'styles'", "style"),
        ("[society-of-mind.step.revise]\ntext='x'", "unknown table", "society-of-minds"),
        ("[society-of-minds.stp.revise]\ntext='x'", "unknown table 'stp'", "step"),
        ("[society-of-minds.single]\ntext='x'", "unknown table 'single'", "style"),
        ("[step.revise]\ntext='{{ othrs }}'", "unknown slot 'othrs'", "others"),
        ("[style.cot]\ntext='{{ form }} {{ questoin }}'", "unknown slot 'questoin'", "question"),
        ("[form.number]\ntext='{{ question }}'", "unknown slot 'question'", None),
        ("[question]\ntext='{{ txt }}'", "unknown slot 'txt'", "text"),
        ("[style.cot]\ntext='{{ range(3) }}'", "unknown slot 'range'", None),
        ("[step.revise]\ntext='x'\nread_as='text'", "unknown key 'read_as'", "reads_as"),
        ("[step.revise]\ntext='x'\nreads_as='txt'", "unknown parser 'txt'", "text"),
    ],
)
def test_an_unknown_name_is_named_with_the_nearest(overlay, text, said, nearest):
    error = fault(SOCIETY, overlay(text))
    assert isinstance(error, UnknownName)
    assert said in str(error)
    assert error.nearest == nearest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[style.cot]\ntext='''\nline\n{% if %}'''", "style.*cot, line 2: "),
        ("[style.cot]\ntext='{{ question'", "line 1: "),
        ("[style.cot]\ntext='{{ question | no_such }}'", "line 1: No filter named 'no_such'"),
        ("[style]\ncot='text'", "cot: a prompt needs text"),
        ("[style.cot]\ntxt='text'", "cot: a prompt needs text"),
        ("[style.cot]\ntext=3", "cot: a prompt needs text"),
        ("[style.cot]\ntext='a'\nkept=['a']", "cot: kept: a prompt needs text"),
        ("style = 3", "style: expected a table of prompts"),
        ("[style.cot]\ntext = 'x", r"at line 2, column 10|at end of document"),
    ],
)
def test_a_mistake_is_named_with_its_place(overlay, text, said):
    path = overlay(text)
    with pytest.raises(InputError, match=said):
        SOCIETY.pack(path)
    fault(SOCIETY, path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    assert "No such file" in str(fault(SOCIETY, tmp_path / "missing.toml"))
    assert "Is a directory" in str(fault(SOCIETY, tmp_path))
    (tmp_path / "latin.toml").write_bytes(b"x = '\xe9'")
    fault(SOCIETY, tmp_path / "latin.toml")


def test_a_file_that_has_changed_is_read_again(overlay):
    path = overlay("[form.number]\ntext = 'one'\n")
    first = SOCIETY.pack(path).digest
    overlay("[form.number]\ntext = 'two'\n")
    os.utime(path, ns=(1, 1))
    assert SOCIETY.pack(path).digest != first


@pytest.mark.parametrize(
    "text",
    [
        "{{ question.__class__ }}",
        "{{ question.__class__.__mro__[1].__subclasses__() }}",
        "{{ ''.format.__globals__ }}",
        "{{ question | attr('__class__') }}",
        "{{ self.__init__.__globals__ }}",
        "{{ question.no_such }}",
        "{{ 1 / 0 }}",
        "{{ question + 1 }}",
        "{% include 'x' %}",
    ],
)
def test_a_prompt_that_reaches_out_or_breaks_is_bad_input(overlay, text):
    path = overlay(f'[style.cot]\ntext = "{text}"\n')
    with pytest.raises(InputError, match=r"mine\.toml"):
        SOCIETY.pack(path).step("cot").render({"question": "q", "form": "f"})


@pytest.mark.parametrize(
    "name", ["range", "dict", "lipsum", "cycler", "joiner", "namespace", "environment", "open"]
)
def test_templates_see_their_slots_and_nothing_else(overlay, name):
    path = overlay(f'[style.cot]\ntext = "{{{{ {name} }}}}"\n')
    assert f"unknown slot '{name}'" in str(fault(SOCIETY, path))
    with pytest.raises(InputError, match=f"'{name}' is undefined"):
        Step("x", {"text": f"{{{{ {name} }}}}"}, where="here").render({})


def test_a_pack_beside_a_protocol_of_another_package_is_its_own(tmp_path):
    (tmp_path / "theirs.toml").write_text("[step.go]\ntext = 'Go, {{ form }}'\n")
    pack = load_pack("theirs", beside=tmp_path / "theirs.py")
    assert pack.step("go").render({"form": "now"}) == "Go, now"
    (tmp_path / "theirs.toml").write_text("[step]\ngo = 'text'\n")
    with pytest.raises(InputError, match=r"theirs\.toml: step\.go: a prompt needs text"):
        load_pack("others", beside=tmp_path / "theirs.py")


BRIEF = {"words": 600, "audience": "pupils", "tone": "dry", "language": "German"}
REVISED = {"revise": "Say it shorter.", "words": 300}
HEARING = {"best_of": 2, "critiques": 2}, {"assigned": False}
WAYS = {
    "americano": ({}, BRIEF),
    "essay-direct": ({}, {**BRIEF, "stance": "both", "outline": "1. Doors\n2. Guards"}, REVISED),
    "diverse-methods": ({}, {"judge": True}),
    "mixture-of-agents": ({"layers": 3, "steps": 1}, {"layers": 2}),
    "oversight-consultancy": ({}, *HEARING),
    "oversight-debate": ({}, {"questions": True}, *HEARING),
    "group-debate": ({}, {"agents": 4}, {"groups": 1}),
    "peer-review": ({"agents": 3, "top": 5}, {"agents": 3, "top": 5, "triples": False}),
    "document-debate": (
        {},
        {"shows": "aggregate"},
        {"evidence": "question"},
        {"evidence": "question", "shows": "aggregate"},
    ),
    "evidence-debate": ({}, {"evidence": "question"}),
    "tool-debate": (
        {},
        {"sources": ["a.get"] * 2, "tools": [{"name": "a", "command": "x", "allow": ["get"]}]},
    ),
    "selective-debate": ({"groups": 1, "novelty": "embedding", "similar": 1.0},),
    "ballot": ({}, {"forms": "vote"}, {"agents": 1}),
    "chateval": ({}, {"mode": "simultaneous", "summary": True}),
    "community": ({}, {"placing": "system"}),
    "council": (
        {"agents": 2},
        {"agents": 2, "mode": "debate", "names": True},
        {"agents": 2, "ruling": "tie-breaker", "rubric": True},
    ),
    "jury": ({}, {"scale": "binary"}),
    "debate-to-write": (
        {},
        {"dialogue": "single"},
        {"personas": False, "stance": "support", "strict": True},
        {**BRIEF, "stance": "both", "points": 3},
        {**BRIEF, "stance": "both", "dialogue": "single", "outline": "1. Doors", "strict": True},
        REVISED,
    ),
    "essay-plan": (
        {},
        {"strict": True, "stance": "support"},
        {**BRIEF, "stance": "both", "outline": "1. Doors\n2. Guards", "strict": True},
        {"stance": "both", "points": 3},
        REVISED,
    ),
    "debate-moderated": ({}, {"names_side": True, "shown_first": "negative"}),
    "ensemble-refinement": ({}, {"summarise_first": True, "style": "cot"}),
    "exchange-of-thought": (
        {"rounds": 2},
        {"rounds": 2, "topology": "memory", "stop": "similarity"},
        {"rounds": 2, "topology": "memory", "stop": "similarity", "reply": "review"},
    ),
    "exposure": ({}, {"shows": "tally"}, {"shows": "vacuous"}, {"agents": 1}),
    "network": ({}, {"graph": "cascade"}),
    "self-correction": ({}, {"critique": True}),
    "panel-review": ({"agents": 1},),
    "reconcile": ({"convincing": 0}, {"convincing": 1}),
    "planted-peers": ({}, {"level": 1}, {"level": 3}),
    "self-consistency": ({}, {"aggregate": True}),
    "multi-persona": ({}, {"replies": "agreement"}),
    "society-of-minds": ({}, {"summary": True, "exchange": "sequential"}, {"agents": 1}),
    "solo-performance": ({}, {"variant": "expert"}),
}
"""Settings that are put to use here beside the defaults, for the prompts only they ask for."""


DOCUMENTS = (
    QuestionDocument(text="Two and two are four.", source="sums"),
    QuestionDocument(text="```\nThe sky is blue.", source="colours"),
)
WORKED = Example(
    question=Question(id="worked", kind="number", text="What is 2 + 3?", answer="5"),
    reason="Two and three are five.",
)


WHOLE = ("single", "society-of-minds", "multi-persona", "council", "exposure")
"""Protocols whose prompts stand whole in the snapshot; those of all stand in tests/golden."""


@pytest.mark.parametrize("name", [each.name for each in registry if each.is_installed])
@pytest.mark.parametrize("style", ["simple", "cot"])
async def test_every_step_of_every_protocol_renders_for_every_kind(name, style, store, snapshot):
    protocol = registry.get(name)
    rendered, wanted = {}, {key for kind, key in protocol.pack()._steps if kind == "step"}
    for way, question in product(WAYS.get(name, ({},)), kinds_for(name)):

        def script(call, seen=rendered, way=way):
            scene = call.scene
            told = "".join(f", {key} = {value}" for key, value in way.items())
            who = f"node's {scene.role}" if "/" in scene.agent else scene.role
            key = f"{scene.step}, {who}, round {scene.round}, {scene.question.kind}{told}"
            seen.setdefault(key, [f"{m.role}: {m.content}" for m in call.messages])
            if way.get("strict") and scene.step == "essay":
                return "He said, “Nobody ever asked us.”\nFinal answer: 4"
            return says(call, ends=9)

        chosen = {"style": style} | _small(protocol) | way
        documents = DOCUMENTS if way.get("evidence") else msgspec.UNSET
        asked = msgspec.structs.replace(question, documents=documents)
        worked = [WORKED] * bool(way.get("convincing"))
        held = await hold(name, script, store, question=asked, worked=worked, **chosen)
        assert held.failed is None
    assert wanted <= {key.partition(",")[0] for key in rendered}
    assert all("{{" not in text and "{%" not in text for text in map(str, rendered.values()))
    if style == "cot" and name in WHOLE:
        assert {key: text for key, text in rendered.items() if "number" in key} == snapshot


def _small(protocol):
    """Two of everything that can be counted, but for the words of an essay and their number."""
    defaults = {each.name: each.default for each in protocol.described_settings}
    own, one = protocol.own.__struct_fields__, {"words", "alternatives"}
    return {name: 2 for name in own if type(defaults[name]) is int and name not in one}


def prompts_of(path):
    """The tables of prompts in a pack's file, by kind and name."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    named = {(kind, name): each for kind in NAMED for name, each in tables.get(kind, {}).items()}
    return named | {("", name): tables[name] for name in ALONE if name in tables}


def files_of_packs():
    """The files of moot's packs, those that stand beside a protocol's code among them."""
    beside = {Path(getfile(each.algorithm)).with_suffix(".toml") for each in registry}
    found = {*HERE.glob("*.toml"), *(path for path in beside if path.exists())}
    return sorted(found, key=lambda path: path.stem)


OURS = files_of_packs()


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_each_prompt_of_ours_compiles(path):
    found = [Step(name, each, where=kind) for (kind, name), each in prompts_of(path).items()]
    for step in found:
        check_template(step.source, where=step.where)
    assert found or "borrows" in path.read_text(encoding="utf-8")


def test_each_prompt_of_ours_shows_its_slots(snapshot):
    """A slot that is gone from a prompt, or new in it, is seen in the line of that prompt."""
    assert "\n".join(line for path in OURS for line in slots_in(path)) == snapshot


def slots_in(path):
    """A line for each text of each prompt in a pack's file: where it is, and its slots."""
    for (kind, name), table in prompts_of(path).items():
        for key in ("text", "form", "kept", "asked", "answered"):
            if key in table:
                more = "" if key == "text" else f", {key}"
                slots = sorted(slots_of(table[key], where=name))
                yield f"{path.stem}: {kind} {name}{more}: {', '.join(slots)}".rstrip(": ")


def test_a_prompt_that_does_not_compile_is_bad_input_at_once():
    with pytest.raises(InputError, match=r"^here, line 1: "):
        Step("answer", {"text": "{{ task"}, where="here")
