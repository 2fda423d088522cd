"""Every protocol by every command that offers it: it debates, or says why it cannot."""

import json

import pytest

from moot.contrib.essays.write import essay_protocols
from moot.debate.protocol import registry as protocols
from support.commands import run_command

PEOPLE = "simulated/people?accuracy=0.6"
HERE = [each.name for each in protocols if each.is_installed]
REFUSED = {"debate-match": "debates motions"} | {
    each.name: "its right answer is not known" for each in protocols if each.needs_answer
}
"""Protocols that such a question is refused for, with words of the refusal."""


@pytest.mark.parametrize("name", HERE)
def test_it_is_asked_in_the_terminal(name, tmp_path):
    words = ["ask", "2 + 2?", "--kind", "number", "--protocol", name, "--model", PEOPLE]
    code, out, said = run_command(tmp_path, *words, "--json")
    if name in REFUSED:
        assert code == 2
        assert REFUSED[name] in said
        return
    assert code == 0, said
    answer = json.loads(out)
    assert answer["calls"] > 0
    code, shown, said = run_command(tmp_path, "show", answer["run"])
    assert code == 0, said
    assert "2 + 2?" in shown


@pytest.mark.parametrize("name", [each.name for each in essay_protocols()])
def test_it_writes_in_the_terminal(name, tmp_path):
    words = ["write", "Museums should be free.", "--protocol", name, "--model", PEOPLE]
    code, out, said = run_command(tmp_path, *words)
    assert code == 0, said
    assert "transcript: moot show" in out
