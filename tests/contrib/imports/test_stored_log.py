"""A log that is named in place of a run: it is imported, and what it lacks is said."""

import json

from support.commands import printed, refused, run_command

FORMAT = "debate-log/1"


def write_log(folder, answers):
    """Write debates of three agents and two rounds: the first answers of each, then its last."""
    path = folder / "own.jsonl"
    with path.open("w") as file:
        for number, (first, last) in enumerate(answers):
            turns = [
                {
                    "agent": "ABC"[place % 3],
                    "round": 1 + place // 3,
                    "text": f"Final answer: {said}",
                }
                for place, said in enumerate([*first, *[last] * 3])
            ]
            debate = {
                "format": FORMAT,
                "id": f"q{number}",
                "dataset": "sums",
                "question": {"text": f"What is {number} + 4?", "answer": "4", "kind": "number"},
                "agents": [{"name": name} for name in "ABC"],
                "turns": turns,
            }
            file.write(json.dumps(debate) + "\n")
    return path


def test_a_plan_is_made_of_a_log_with_the_discordance_in_it(tmp_path):
    answers = [("445", 4), ("556", 4), ("445", 7), ("566", 7), ("444", 4)] * 6
    write_log(tmp_path, answers)
    code, out, err = run_command(tmp_path, "plan", "own.jsonl", "--json")
    assert code == 0
    [found] = json.loads(out)["plans"]
    vote = [max("4567", key=first.count) == "4" for first, _ in answers]
    differ = sum(right != (last == 4) for right, (_, last) in zip(vote, answers, strict=True))
    assert (found["questions"], found["discordance"]["estimate"]) == (30, differ / 30)
    assert found["discordance"]["low"] < 0.4 < found["discordance"]["high"]
    run = printed(run_command(tmp_path, "show", "--json"))
    key = json.loads(run)[0]["run"]
    assert f"own.jsonl is run {key} of the store" in err
    again = run_command(tmp_path, "plan", "own.jsonl", key, "--json")
    assert json.loads(again[1])["plans"] == [found]
    assert len(json.loads(printed(run_command(tmp_path, "show", "--json")))) == 1


def test_parts_that_cannot_be_read_are_counted(tmp_path):
    path = write_log(tmp_path, [("445", 4), ("556", 4)])
    with path.open("a") as file:
        file.write(json.dumps({"format": FORMAT, "id": 7}) + "\n")
    code, _, err = run_command(tmp_path, "plan", "own.jsonl")
    assert code == 0
    assert "1 part of it could not be read; moot import own.jsonl names them" in err


def test_a_file_that_is_no_log(tmp_path):
    (tmp_path / "notes.json").write_text("[]")
    assert "notes.json: fits no format" in refused(run_command(tmp_path, "plan", "notes.json"))
    assert "no runs" in printed(run_command(tmp_path, "show"))
