"""Whatever a log has in it: debates, parts that are named as unread, or an error; never another."""

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import strategies as st

from moot import InputError
from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.formats.debate_log import find_fault
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import LogFormat, Unread, find_format, registry
from moot.contrib.imports.mapping import read_mapping
from moot.contrib.imports.mapping_draft import draft_mapping
from support.fuzzing import VALUES, WORDS, fuzz, mutated

USER, SAID = {"role": "user", "content": "q?"}, {"role": "assistant", "content": "A", "name": "x"}
LOGS = {
    "society-of-minds": {"q?": [[[USER, SAID, USER, SAID], [USER, SAID]], "4", SAID]},
    "llm-agora": [
        {
            "question_id": 0,
            "question": "q?",
            "agent_response": {"m": ["a", "b"], "n": ["c", "d"]},
            "summarization": ["s"],
            "answer": "A",
        }
    ],
    "mad": {
        "debate_topic": "q?",
        "debate_answer": "A",
        "players": {"Affirmative": [USER, SAID], "Negative": [USER, SAID], "Judge": [USER, SAID]},
    },
    "messages": [{"messages": [USER, SAID, USER, SAID], "id": 3}],
    "llm-council": {
        "messages": [
            USER,
            {
                "role": "assistant",
                "stage1": [{"model": "a", "response": "x"}, {"model": "b", "response": "y"}],
                "stage2": [{"model": "a", "ranking": "z", "parsed_ranking": ["Response B"]}],
                "stage3": {"model": "c", "response": "w"},
                "metadata": {"aggregate_rankings": [{"model": "a", "average_rank": 1.5}]},
            },
        ]
    },
    "mallm": [
        {
            "exampleId": "1",
            "input": ["q?"],
            "context": None,
            "references": ["A"],
            "paradigm": "memory",
            "finalAnswer": "A",
            "votesEachTurn": {"1": {"type": "simple", "answers": ["A"]}},
            "globalMemory": [
                {
                    "message_id": 0,
                    "turn": 1,
                    "agent_id": "u",
                    "persona": "p",
                    "contribution": "draft",
                    "message": "m",
                    "solution": "A",
                    "memory_ids": [],
                }
            ],
        }
    ],
    "debate-log": [
        {
            "format": "debate-log/1",
            "id": "1",
            "question": {"text": "q?", "answer": "A"},
            "agents": [{"name": "a"}],
            "turns": [{"agent": "a", "text": "x", "reads": []}],
            "verdict": {"answer": "A", "turn": 1},
        }
    ],
    "jsonl": [
        {
            "run": "r",
            "study": "s",
            "arm": "a",
            "dataset": "d",
            "question": "1",
            "replicate": 0,
            "values": {},
            "events": [
                {
                    "event": "opened",
                    "question": {"id": "1", "kind": "number", "question": "q?", "answer": "4"},
                    "protocol": "single",
                    "settings": {},
                    "pack": "",
                    "replicate": 0,
                    "format": 2,
                },
                {"event": "closed", "verdict": {"answer": "4", "text": "4", "by": "a"}},
            ],
        }
    ],
}


def read(path, named):
    """Read a log; whatever comes of it is well formed, and an error is one of moot's own."""
    log = Log(path)
    found = 0
    form = named if isinstance(named, LogFormat) else registry.get(named)
    for part in form.read(log):
        assert isinstance(part, LoggedDebate | Unread)
        if isinstance(part, LoggedDebate):
            found += 1
            assert find_fault(part) == ""
            assert msgspec.json.decode(msgspec.json.encode(part), type=LoggedDebate) == part
    return found


@pytest.mark.parametrize("named", LOGS)
def test_a_log_is_known_by_one_format_alone(tmp_path, named):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(LOGS[named]))
    if named in {"jsonl", "debate-log"}:
        path = tmp_path / "log.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in LOGS[named]))
    assert find_format(Log(path)).name == named
    assert read(path, named) == 1


@pytest.mark.parametrize("named", LOGS)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_mutated_logs(tmp_path, named, ending):
    rows = LOGS[named] if isinstance(LOGS[named], list) else [LOGS[named]]
    text = json.dumps(LOGS[named], indent=0)
    if ending == "jsonl":
        text = "".join(json.dumps(row) + "\n" for row in rows)
    path = tmp_path / f"log.{ending}"

    def check(text):
        path.write_text(text, errors="surrogatepass")
        with suppress(InputError):
            read(path, named)

    fuzz(check, text=mutated(text))


@st.composite
def changed(draw, value):
    """Draw a value with one of its parts, at any depth, replaced, removed or renamed."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 9)) == 0:
        return draw(VALUES)
    places = list(value) if isinstance(value, dict) else range(len(value))
    place = draw(st.sampled_from(places))
    made = dict(value) if isinstance(value, dict) else list(value)
    change = draw(st.integers(0, 9))
    if change == 0:
        del made[place]
    elif change == 1 and isinstance(made, dict):
        made[draw(WORDS)] = made.pop(place)
    else:
        made[place] = draw(changed(value[place]))
    return made


@pytest.mark.parametrize("named", LOGS)
def test_parts_of_other_types(tmp_path, named):
    path = tmp_path / "log.json"

    def check(value):
        path.write_text(json.dumps(value), errors="surrogatepass")
        with suppress(InputError):
            read(path, named)

    fuzz(check, value=changed(LOGS[named]))


MAPPING = """\
id = "id"
question = "question"
answer = "gold"
options = "options"
turns = "talk"
reply = "text"
agent = "who"
round = "n"
model = "model"
stated = "answer"
judge = "judge"
final = "end"
correct = "right"
"""
MAPPED = [
    {
        "id": 1,
        "question": "q?",
        "gold": "A",
        "options": ["x", "y"],
        "talk": [{"text": "A", "who": "a", "n": 1, "model": "m", "answer": "A"}],
        "judge": "A",
        "end": "A",
        "right": True,
    }
]


def test_mapped_logs(tmp_path):
    (tmp_path / "map.toml").write_text(MAPPING)
    path = tmp_path / "log.json"
    form = read_mapping(tmp_path / "map.toml")

    def check(value):
        path.write_text(json.dumps(value), errors="surrogatepass")
        with suppress(InputError):
            read(path, form)

    path.write_text(json.dumps(MAPPED))
    assert read(path, form) == 1
    fuzz(check, value=changed(MAPPED))


def test_mutated_mappings(tmp_path):
    (tmp_path / "log.json").write_text(json.dumps(MAPPED))

    def check(text):
        (tmp_path / "map.toml").write_text(text, errors="surrogatepass")
        with suppress(InputError):
            read(tmp_path / "log.json", read_mapping(tmp_path / "map.toml"))

    fuzz(check, text=mutated(MAPPING))


@pytest.mark.parametrize("named", LOGS)
def test_drafts_of_any_shape(tmp_path, named):
    path = tmp_path / "log.json"

    def check(value):
        path.write_text(json.dumps(value), errors="surrogatepass")
        try:
            draft = draft_mapping(Log(path))
        except InputError:
            return
        (tmp_path / "map.toml").write_text(draft)
        form = read_mapping(tmp_path / "map.toml")  # a draft is always a mapping
        with suppress(InputError):
            read(path, form)

    fuzz(check, value=changed(LOGS[named]) | VALUES)


def test_any_bytes(tmp_path):
    names = ["a.json", "a.jsonl", "a.json.gz", "a.zip", "a.tar", "a.tgz", "a.md", "a.p", "a"]

    def check(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        with suppress(InputError):
            log = Log(path)
            for file in log.files():
                for reader in (file.read_text, file.read_json, file.peek):
                    with suppress(InputError):
                        reader()
            find_format(log)

    starts = [b"", b"\x1f\x8b\x08", b"PK\x03\x04", b"PK\x05\x06", b"\xff\xfe", b"[", b"\x80\x04"]
    data = st.tuples(st.sampled_from(starts), st.binary(max_size=120)).map(b"".join)
    fuzz(check, name=st.sampled_from(names), data=data)
