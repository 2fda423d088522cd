"""``moot run --batch FILE`` and ``--replies FILE``: calls go out as lines, replies come in."""

import json
from pathlib import Path

import msgspec
import pytest

from support.batches import answer_lines, says

NOWHERE = "http://127.0.0.1:9/v1"
DATA = '[[datasets]]\nname = "arithmetic"\nn = 4\n[[arms]]\nprotocol = "single"\n'
SOCIETY = '[[arms]]\nprotocol = "society-of-minds"\nagents = 3\nrounds = 2\n'
STUDY = f'name = "small"\n[settings]\nmodel = "{NOWHERE}/llama"\n{DATA}{SOCIETY}'


def four(_):
    return says("Final answer: 4")


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.toml").write_text(STUDY)
    return tmp_path


def read_lines(file):
    return [msgspec.json.decode(line) for line in Path(file).read_bytes().splitlines()]


def test_a_study_is_run_by_files_to_its_end_and_nothing_is_sent(moot, small):
    code, out, _ = moot("run", "small.toml", "--batch", "one.jsonl", "--yes", "--json")
    told = json.loads(out)
    assert code == 6
    assert told["waiting"] == {"one.jsonl": 4 * 3}  # one of each three is the lone agent's
    assert told["stopped"] == "12 calls wait for a batch"
    assert not list(small.glob("*.part"))
    [first, *_] = lines = read_lines(small / "one.jsonl")
    assert (first["method"], first["url"]) == ("POST", "/v1/chat/completions")
    assert first["body"]["model"] == "llama"
    assert first["body"]["messages"][-1]["role"] == "user"
    assert len({line["custom_id"] for line in lines}) == 12

    answer_lines(small / "one.jsonl", small / "out-1.jsonl", four)
    went = ("run", "small.toml", "--yes", "--json", "--price", f"{NOWHERE}/llama=1,2")
    code, out, _ = moot(*went, "--replies", "out-1.jsonl", "--batch", "two.jsonl")
    told = json.loads(out)
    assert code == 6
    assert told["done"] == 4  # those that ask one call
    assert told["waiting"] == {"two.jsonl": 4 * 3}

    code, out, _ = moot("run", "small.toml", "--yes", "--replies", "out-1.jsonl")
    assert (code, "12 calls wait for a batch" in out) == (6, True)
    assert f"{NOWHERE}/llama: 12 calls" in out
    answer_lines(small / "two.jsonl", small / "out-2.jsonl", four)
    with_mark = b"\xef\xbb\xbf" + (small / "out-2.jsonl").read_bytes()
    (small / "out-2.jsonl").write_bytes(with_mark)  # of byte order: it is skipped
    code, out, _ = moot(*went, "--replies", "out-2.jsonl")
    told = json.loads(out)
    assert code == 0
    assert (told["done"], told["failed"], told["stopped"], told["waiting"]) == (8, 0, None, {})
    arms = {arm["arm"]: arm for arm in told["results"]["arms"]}
    assert arms["society-of-minds"]["calls"] == 24
    assert arms["society-of-minds"]["cost"]["total"] == pytest.approx(24 * (50 + 2 * 7) / 1e6)
    assert moot("run", "small.toml", "--yes")[0] == 0  # nothing is called: there is no server


def test_each_model_has_a_file_and_models_that_run_here_are_asked_at_once(moot, small):
    arm = '[[arms]]\nname = "{0}"\nprotocol = "single"\nmodel = "{0}"\n'
    own = (f"{NOWHERE}/qwen", "simulated/people?accuracy=0.6")
    (small / "small.toml").write_text(STUDY + "".join(arm.format(model) for model in own))
    code, out, _ = moot("run", "small.toml", "--batch", "w.jsonl", "--yes", "--json")
    told = json.loads(out)
    assert (code, told["done"]) == (6, 4)
    assert sorted(told["waiting"].values()) == [4, 12]
    for file, many in told["waiting"].items():
        lines = read_lines(small / file)
        assert len(lines) == many
        [model] = {line["body"]["model"] for line in lines}
        assert file.endswith(f"{model}.jsonl")


def test_what_may_pass_waits_again_and_what_will_not_fails_its_debate(moot, small, caplog):
    moot("run", "small.toml", "--batch", "one.jsonl", "--yes")
    names = [line["custom_id"] for line in read_lines(small / "one.jsonl")]

    def reply(line):
        if line["custom_id"] == names[0]:
            return {"response": None, "error": {"code": "batch_expired", "message": "late"}}
        if line["custom_id"] == names[-1]:  # as vLLM
            error = {"error": {"message": "no such thing", "code": 400}}
            return {"response": {"status_code": 400, "request_id": "r"}, "error": error}
        return four(line)

    answer_lines(small / "one.jsonl", small / "out.jsonl", reply)
    code, out, _ = moot(
        "run", "small.toml", "--replies", "out.jsonl", "--batch", "two.jsonl", "--yes", "--json"
    )
    told = json.loads(out)
    assert code == 6
    assert names[0] in {line["custom_id"] for line in read_lines(small / "two.jsonl")}
    assert told["failed"] >= 1
    assert any("no such thing" in reason for reason in told["reasons"])
    assert names[-1] not in {line["custom_id"] for line in read_lines(small / "two.jsonl")}
    moot("run", "small.toml", "--batch", "three.jsonl", "--yes")  # without those replies
    assert names[-1] not in {line["custom_id"] for line in read_lines(small / "three.jsonl")}
    assert "1 call failed and waits again" in caplog.text
    assert "late" in caplog.text


def test_no_more_calls_wait_than_the_budget_pays(moot, small):
    (small / "small.toml").write_text(STUDY + "[budget]\ncalls = 5\n")
    run = ("run", "small.toml", "--yes", "--json")
    code, out, _ = moot(*run, "--batch", "one.jsonl")
    told = json.loads(out)
    assert (code, told["waiting"]) == (6, {"one.jsonl": 5})
    assert "5 calls" in told["stopped"]
    assert len(read_lines(small / "one.jsonl")) == 5
    answer_lines(small / "one.jsonl", small / "out.jsonl", four)
    code, out, _ = moot(*run, "--replies", "out.jsonl", "--batch", "two.jsonl")
    assert (code, json.loads(out)["waiting"]) == (3, {})
    assert not (small / "two.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--batch", "calls.json"), "a file that ends in .jsonl"),
        (("--batch", "gone/calls.jsonl"), "gone/calls.jsonl: No such file or directory"),
        (("--replies", "bad.jsonl"), "bad.jsonl, line 2"),
        (("--replies", "a.jsonl", "--batch", "./a.jsonl"), "it is the file of replies"),
    ],
)
def test_files_that_cannot_be_are_told_before_anything_is_run(moot, small, options, told):
    (small / "bad.jsonl").write_text('{"custom_id": "a", "response": null}\n{"id": 1}\n')
    code, out, err = moot("run", "small.toml", "--yes", *options)
    assert (code, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_replies_of_other_runs_are_counted(moot, small, caplog):
    reply = {"custom_id": "ab" * 16, "response": {"status_code": 200, "body": {}}, "error": None}
    (small / "other.jsonl").write_bytes(msgspec.json.encode(reply) + b"\n")
    assert moot("run", "small.toml", "--replies", "other.jsonl", "--yes")[0] == 6
    assert "1 reply is not of a call that this run makes now" in caplog.text
