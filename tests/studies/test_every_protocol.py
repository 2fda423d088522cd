"""The study that runs every protocol, and each protocol with replies of the embedded model."""

import pytest

import moot
from moot.debate.protocol import registry
from moot.studies.study_file import load
from support import embedded
from support.sums import sums


def test_the_shipped_studies_have_an_arm_for_every_protocol():
    """One for those that answer questions, one for essays, and one for debates on motions.

    Their questions are of every kind: what needs a known right answer cannot stand there.
    """
    shipped = {"protocols": set(), "essays": set(), "league": set()}
    for each in registry:
        own = each.algorithm.__module__.startswith("moot.")
        if each.asks and not each.needs_answer:
            shipped["league"].add(each.name)
        elif own and not each.needs and not each.needs_answer:
            writes = "stance" in each.own.__struct_fields__
            shipped["essays" if writes else "protocols"].add(each.name)
    for name, every in shipped.items():
        study = load(name, model="local/smollm2")
        assert {arm.protocol for arm in study.arms} == every


SMALL = dict.fromkeys(("samples", "rounds", "experts", "sweeps", "reasonings", "aggregations"), 1)
SMALL |= dict.fromkeys(("agents", "team", "communities", "window_size"), 2)
SMALL |= {"most": 1, "windows": 1, "max_tokens": 4, "style": "simple", "variant": "expert"}
"""As few calls as show that every kind of prompt is answered and read."""
AGENTS = {"network": 1, "hopfield": 1, "group-debate": 4, "peer-review": 3}


@pytest.mark.soak
async def test_every_protocol_runs_on_the_embedded_model_without_a_failure(
    tmp_path, smollm2, request
):
    """What it has once said to a prompt is recorded; it is asked where a prompt is another now."""
    await embedded.lay_in("every_protocol", tmp_path)
    arms = []
    for each in registry:
        if not each.is_installed or each.needs_answer or (each.asks and not each.needs_answer):
            continue
        own = each.settings.__struct_fields__
        known = {key: value for key, value in SMALL.items() if key in own}
        if each.name in {"chateval-scored", "self-correction"}:
            known["rounds"] = 2
        if each.name in AGENTS:
            known["agents"] = AGENTS[each.name]
        arms.append({"protocol": each.name, **known})
    data = [{"name": "starters", "n": 1}]
    study = sums("all", "local/smollm2?threads=1&parallel=1", arms=arms, datasets=data)
    outcome = await moot.run(study, store=tmp_path)
    await embedded.record("every_protocol", tmp_path, request.config)
    assert outcome.reasons == {}
    assert (outcome.done, outcome.failed) == (len(arms), 0)
