"""Self-consistency: sample several reasonings of one prompt, then vote (Wang et al. 2023)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Samples
from moot.debate.verdicts import majority


@protocol(paper="arXiv:2203.11171", calls="samples")
async def self_consistency(debate: Debate, question: Question, *, samples: Samples = 5) -> Verdict:
    """Sample the same prompt several times and take the most frequent answer.

    Its draws are those of a society of minds' first round, so the two are paired and the shared
    calls are paid once.
    """
    samplers = debate.seat("sampler", samples)
    return majority(await debate.everyone(samplers, "answer"), question)
