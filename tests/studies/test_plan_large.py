"""Plans of many debates: their ids, and what they take."""

import subprocess
import sys
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


MANY = """
import resource, sys
from time import process_time
from moot.studies.plan import Plan
from moot.studies.study import load

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

arms = [{"protocol": "society-of-minds", "agents": [2, 3, 4, 5, 6], "rounds": [2, 3]}]
data = [{"name": "arithmetic", "difficulty": 4, "n": 10_000}]
model = {"model": "scripted?reply=4"}
study = load({"name": "x", "settings": model, "datasets": data, "arms": arms})
Plan(study, limit=1)
before, began = peak(), process_time()
count = sum(1 for _ in Plan(study).tasks())
print(count, process_time() - began, (peak() - before) / 10_000)
"""


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="it has no getrusage")
def test_a_hundred_thousand_debates_take_little_time_and_memory():
    """A tenth of what is promised: 10 s and 300 MB for a million; `bench/scale.py` has these."""
    ran = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True, check=True)
    count, seconds, each = map(float, ran.stdout.split())
    assert count == 100_000
    assert seconds < 3  # a third of it on the machine it is meant for, most of that for tasks
    assert each < 1_500  # bytes a question
