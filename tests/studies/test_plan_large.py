"""Plans of many debates: their ids, and what they take."""

from hashlib import blake2b

import msgspec
import pytest

from moot.debate.nodes import hash_packs
from moot.debate.protocol import registry
from moot.studies.plan import Plan
from moot.studies.study import load

MODEL = "scripted?reply=4"


def study(**more):
    arms = [{"protocol": "single"}, {"protocol": "self-consistency", "samples": [2, 3]}]
    data = [{"name": "arithmetic", "n": 5}, {"name": "starters"}]
    return load({"name": "x", "settings": {"model": MODEL}, "datasets": data, "arms": arms} | more)


@pytest.mark.parametrize("limit", [None, 1, 3])
def test_the_id_is_that_of_the_whole_study_as_one_json_text(limit):
    """However many questions there are, and although that text is never put together."""
    read = study(replicates=2)
    plan = Plan(read, limit=limit)
    content = [
        read.datasets,
        [list(questions) for questions in plan.questions.values()],
        read.arms,
        read.baseline,
        read.replicates,
        limit,
        [list(hash_packs(registry.get(arm.protocol), arm.settings, None)) for arm in read.arms],
        [served.content for served in plan._examples.values()],
    ]
    whole = msgspec.json.encode(content, order="deterministic")
    assert plan.key == f"x-{blake2b(whole, digest_size=5).hexdigest()}"


def test_all_arms_come_on_a_question_before_the_next_and_replicates_last():
    plan = Plan(study(replicates=2), limit=2)
    tasks = list(plan.tasks())
    assert len(tasks) == plan.size == 2 * 4 * 3
    assert [task.number for task in tasks] == list(range(plan.size))
    told = [(task.replicate, task.dataset, task.question.id, task.arm.name) for task in tasks]
    assert told[:4] == [
        (0, "arithmetic", "arithmetic-1-0-0", "single"),
        (0, "arithmetic", "arithmetic-1-0-0", "self-consistency samples=2"),
        (0, "arithmetic", "arithmetic-1-0-0", "self-consistency samples=3"),
        (0, "arithmetic", "arithmetic-1-0-1", "single"),
    ]
    assert [each[1:] for each in told[:12]] == [each[1:] for each in told[12:]]
    assert {each[0] for each in told[12:]} == {1}
