"""The study that runs every protocol, on the embedded model for real."""

import msgspec
import pytest

import moot
from moot.debate.protocol import registry
from moot.studies.study import SHIPPED, load


def test_the_shipped_study_has_an_arm_for_every_protocol():
    study = load(SHIPPED / "protocols.toml", model="local/smollm2")
    shipped = {each.name for each in registry if each.algorithm.__module__.startswith("moot.")}
    assert {arm.protocol for arm in study.arms} == shipped


@pytest.mark.slow
async def test_every_protocol_runs_on_the_embedded_model_without_a_failure(tmp_path, smollm2):
    study = load(SHIPPED / "protocols.toml", model="local/smollm2")
    first = {arm.protocol: arm for arm in reversed(study.arms)}
    short = [
        msgspec.structs.replace(arm, settings=registry.get(arm.protocol).check(_short(arm)))
        for arm in first.values()
    ]
    study = msgspec.structs.replace(study, arms=tuple(short), baseline=None)
    outcome = await moot.run(study, store=tmp_path, limit=1)
    assert outcome.reasons == {}
    assert (outcome.done, outcome.failed) == (len(first), 0)


def _short(arm):
    """The arm's settings with replies of a few tokens, its nodes' too."""
    settings = {**arm.settings, "max_tokens": 12}
    if "nodes" in settings:
        settings["nodes"] = [{**node, "max_tokens": 12} for node in settings["nodes"]]
    return settings
