"""Feature gate: one agent criticises its own answer, and others debate where it may be wrong."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import check_known
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.inner import (
    FittedOn,
    InnerDebate,
    enter_inner,
    resolve_inner,
)
from moot.debate.protocol import list_inner_protocols, protocol
from moot.debate.protocol_settings import OMITTED, Rounds
from moot.debate.reply_features import (
    NAMES,
    OFFSET,
    SIGNAL,
    accept_by_features,
    measure_features,
)
from moot.debate.verdicts import verdict_from
from moot.parsing.self_critique import ReplyFeatures

LeastProbability = Annotated[
    float,
    Meta(ge=0, le=1, description="accepts an answer that is right with at least this probability"),
]
Classifier = Annotated[
    dict[str, float],
    Meta(
        description="a weight for each feature, or a file that moot tune wrote; none: always "
        "debates",
        extra=OMITTED,
    ),
]
PROBE = "probe"


def _check_gate(
    settings: dict[str, Any], where: str, *, classifier: Mapping[str, float]
) -> dict[str, Any]:
    """The settings with those of the debate. Raises ``UnknownName`` for an unknown feature."""
    check_known("feature", classifier, (OFFSET, *NAMES), where=f"{where}: classifier")
    return resolve_inner(settings, where, handed=False, seated=PROBE)


@protocol(
    paper="arXiv:2511.11306 (iMAD) and its code",
    calls="1 + inner",
    fewest="1",
    opened=(PROBE,),
    verify=_check_gate,
    runs=list_inner_protocols,
    signal=SIGNAL,
)
async def feature_gate(
    debate: Debate,
    question: Question,
    *,
    inner: InnerDebate = "multi-persona",
    rounds: Rounds = 3,
    threshold: LeastProbability = 0.7,
    classifier: Classifier = {},  # noqa: B006 -- it is never changed
    fitted: FittedOn = "",
) -> Verdict:
    """Let one agent criticise its own answer, and debate where its reply looks like a wrong one.

    Use it when a confidence alone does not tell right answers from wrong ones, and you have some
    hundred questions with known answers to fit on (``moot tune``), of other datasets if need be.

    The agent answers, puts the strongest case against its answer, and answers again, each with how
    sure it is. From this reply alone features are counted: both confidences, whether the answer
    changed, how many answers it names, hedges, lengths, and the kind of the question. A classifier
    gives the probability that the answer is right. Below ``threshold`` the debate takes place, from
    its beginning and with its own draws; the agent takes no further part.

    Differs:
        - Classifier: the code trains a network with a loss of its own. Here it is a logistic
          regression with small weights, and Platt's map on questions apart.
        - Features: the paper's list of 41 was not to be had. Hedges are counted in English words.
        - Style: it is no feature, since the agent's prompt is the same in every style.
        - Scale: the code scales confidences by the batch that is scored. Here all scales are those
          of the questions of the fit, so that a debate does not depend on others.
        - Threshold: the code scores with one half, the paper debates below 0.7.
    """
    [probe] = debate.seat(PROBE, remembers=False)
    first = await debate.everyone([probe], "examine")
    if (values := measure_features(first[0], question)) is not None:
        debate.record_count(ReplyFeatures(values=values), "features of the reply")
    if debate.accepts(accept_by_features(classifier, threshold, fitted_on=fitted), first):
        return verdict_from(first[0], by="features")
    debate.dismiss([probe], "its answer is not accepted")
    protocol, inside = enter_inner(debate)
    return await protocol.run(inside)
