"""Workers in this process: the arms that they take, and the errors that they send."""

from pathlib import Path

import pytest

from moot import AccessError, InputError, StoreError
from moot.contrib.cluster.chunk_run import restore_error
from moot.contrib.cluster.chunks import SentArm
from moot.contrib.cluster.ray_link import ClusterError
from moot.contrib.cluster.worker import _prepare_arm, _return_trouble
from moot.core.errors import DamagedError, LeaseLost, MootError
from moot.studies.plan import Plan
from moot.studies.study_file import load
from support.sums import sums


@pytest.fixture
def sent(tmp_path):
    """Make a study's arm as the driver sends it."""
    Path(tmp_path, "a.txt").write_text("Two and two are four.\n")
    arms = [{"protocol": "single", "evidence": str(tmp_path)}]
    [ready] = Plan(load(sums("folder", "scripted?reply=4", 1, arms))).arms
    return SentArm(ready.arm, ready.overlay, ready.prompts, ready.content)


def test_a_worker_takes_an_arm_with_the_prompts_and_documents_of_the_driver(sent, tmp_path):
    ready = _prepare_arm(sent, {})
    assert (ready.arm, ready.prompts, ready.content) == (sent.arm, sent.prompts, sent.evidence)
    assert len(sent.evidence) == 1
    with pytest.raises(InputError, match="its prompts are others"):
        _prepare_arm(sent._replace(prompts=("0" * 16,)), {})
    Path(tmp_path, "a.txt").write_text("Two and two are five.\n")
    with pytest.raises(InputError, match="the documents of its evidence are others"):
        _prepare_arm(sent, {})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StoreError("x"), StoreError),
        (LeaseLost("x"), StoreError),
        (DamagedError("x", "y"), StoreError),
        (ClusterError("x"), ClusterError),
        (InputError("x"), InputError),
        (AccessError("x"), MootError),
        (MootError("x"), MootError),
    ],
)
async def test_an_error_of_a_worker_is_one_of_the_driver(error, kind):
    @_return_trouble
    async def fail():
        raise error

    made = restore_error(await fail())
    assert (type(made), str(made)) == (kind, str(error))
