"""Settings that show agents what depends on the right answer."""

import pytest

import moot
from moot.analyses.analysis import analyse
from moot.core.errors import InputError
from moot.debate.protocol import read_debate, registry

ORACLE = {"protocol": "confidence-debate", "oracle": True, "rounds": 2}


def test_what_shows_the_key_is_found_in_nodes_and_behind_gates():
    def find(protocol, **settings):
        return read_debate({"protocol": protocol, **settings}).key_settings

    assert find("confidence-debate", oracle=True) == ["oracle"]
    assert find("confidence-debate", oracle=False) == []
    assert find("no-such-protocol", oracle=True) == []
    gate = registry.get("feature-gate").check({"inner": {**ORACLE}, "rounds": 2})
    assert find("feature-gate", **gate) == ["oracle"]
    network = {"graph": "own", "nodes": [{"name": "a", **ORACLE}], "edges": [["a", "judge"]]}
    assert find("network", **registry.get("network").check(network)) == ["oracle"]


async def test_every_report_of_a_run_says_whose_agents_are_shown_it(tmp_path):
    study = {"name": "known", "datasets": [{"name": "arithmetic", "n": 4}]}
    study |= {"settings": {"model": "simulated/a"}}
    study |= {"arms": [{**ORACLE, "name": "knows"}, {"protocol": "single"}]}
    outcome = await moot.run(study, store=tmp_path)
    for name in ("accuracy", "costs"):
        report = await analyse(name, outcome.run, store=tmp_path)
        [note] = [each for each in report.notes if "right answer" in each]
        assert note == (
            "knows: its agents are shown what depends on the right answer (oracle): its figures "
            "are those of no method."
        )


async def test_questions_without_an_answer_are_refused_before_any_call(tmp_path):
    with pytest.raises(InputError, match=r"setting oracle: .* has no known answer"):
        await moot.ask("2 + 2?", kind="number", store=tmp_path, **ORACLE)
    given = {"store": tmp_path, "model": "simulated/a", **ORACLE}
    answered = await moot.ask("2 + 2?", kind="number", answer="4", **given)
    assert answered.transcript.verdict.by.endswith(", oracle")
