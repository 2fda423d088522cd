"""moot itself: a study, run as any other, every reply recorded durably in a fresh store."""

from contextlib import suppress
from tempfile import TemporaryDirectory

# moot imports what it needs when it first needs it: done here, before the figures begin, as the
# other contenders do.
import aiohttp  # noqa: F401
import jinja2.sandbox  # noqa: F401
from common import Job, measure

with suppress(ImportError):  # the driver of PostgreSQL
    import moot.contrib.cluster.postgres

import moot
import moot.datasets.arithmetic
import moot.models.plain_http
import moot.protocols.society_of_minds
import moot.studies.study_run
from moot.metrics.metric import registry as metrics


async def run(job: Job) -> int:
    if job.transport == "aiohttp":
        moot.models.plain_http.fits = lambda _: False
    study = {
        "name": "bench",
        "datasets": [{"name": "arithmetic", "difficulty": 4, "n": job.questions}],
        "arms": [
            {
                "protocol": "society-of-minds",
                "model": f"{job.url}/bench?concurrency={job.in_flight}",
                "agents": job.agents,
                "rounds": job.rounds,
            }
        ],
        "at_once": job.at_once,
    }
    with TemporaryDirectory() as folder:
        outcome = await moot.run(study, store=job.store or folder)
    assert not outcome.stopped, outcome.stopped
    return outcome.done - outcome.failed


metrics.names()  # imports them
measure(run)
