"""Drafts: a file that has what is there of an essay, to be edited and gone on from."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot import InputError
from moot.contrib.essays.draft import Draft, DraftRemark, format_draft, parse_draft, read_draft
from moot.contrib.essays.persona_lists import Persona
from moot.contrib.essays.written import describe_essay
from support.essays import ESSAY, PLAN, PROPOSITION, transcript

ODD = (
    '"""',
    'a\n"""',
    '\\"""\n"',
    "a\\\n",
    '""\n""""',
    "é\u2028\r\n\x7f\x00",
    "[plan]\n# x = 1",
    "'''\n",
)
TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(ODD)
SAID = TEXT.filter(str.strip)
LINE = SAID.map(lambda text: " ".join(text.split())).filter(bool)
PERSON = st.builds(Persona, description=LINE, claim=LINE | st.just(""), reason=LINE | st.just(""))
PERSONAS = st.lists(PERSON, max_size=4).map(tuple)
VALUES = st.recursive(
    st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
DRAFTS = st.builds(
    Draft,
    proposition=TEXT,
    protocol=TEXT,
    settings=st.dictionaries(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), VALUES, max_size=3),
    personas=PERSONAS,
    team=PERSONAS,
    dialogue=st.lists(st.builds(DraftRemark, speaker=TEXT, text=SAID), max_size=3).map(tuple),
    plan=SAID | st.just(""),
    essay=SAID | st.just(""),
)


@given(DRAFTS)
def test_a_draft_is_read_as_it_was_written(draft):
    assert parse_draft(format_draft(draft).encode(), where="f") == draft


def test_a_file_has_all_that_there_is_and_says_what_may_be_changed():
    draft = describe_essay(transcript()).draft()
    assert (draft.proposition, draft.protocol) == (PROPOSITION, "debate-to-write")
    assert [each.description for each in draft.team] == ["A taxpayer", "A curator", "A guard"]
    assert (len(draft.dialogue), draft.plan, draft.essay) == (8, PLAN, ESSAY)
    file = format_draft(draft)
    assert f'[plan]\ntext = """\n{PLAN}"""\n' in file
    assert re.findall(r"^# .*\n\[+(\w+)\]", file, re.MULTILINE) == [
        "settings", "personas", "team", "dialogue", "plan", "essay",
    ]  # fmt: skip
    assert max(map(len, file[: file.index("proposition")].split("\n"))) <= 100


HEAD = 'proposition = "x"\nprotocol = "essay-plan"\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('proposition = "x"', "protocol: it is missing"),
        ('proposition = 3\nprotocol = "x"', "proposition: Expected `str`, got `int`"),
        (HEAD + "plans = 3", "unknown key 'plans'; did you mean 'plan'"),
        (HEAD + '[plan]\ntext = " "', r"plan: its text is empty; write it, or delete \[plan\]"),
        (
            HEAD + '[[team]]\ndescription = "x"\n[[team]]\nclaim = "y"',
            r"team\[2\]: Object missing required field `description`",
        ),
        (HEAD + '[[team]]\ndescription = "x"\nclam = "y"', r"team\[1\]: unknown key 'clam'; did"),
        (HEAD + '[[personas]]\ndescription = "x"\n' * 11, "personas: 11 personas; there may be 10"),
        (HEAD + '[[dialogue]]\nspeaker = "A"\ntext = ""', r"dialogue\[1\]: its text is empty"),
        (HEAD + '[plan]\ntext = """', "not TOML: .*"),
    ],
)
def test_what_is_no_draft_is_told_with_its_place(content, said, tmp_path):
    file = tmp_path / "d.toml"
    file.write_text(content)
    with pytest.raises(InputError, match=f"^draft {file}: {said}"):
        read_draft(file)
    with pytest.raises(InputError, match=r"draft .*/no.toml: No such file"):
        read_draft(tmp_path / "no.toml")
