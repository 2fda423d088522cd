"""Multi-Persona: an angel, a devil and a judge who may end early (Liang et al. 2023)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.sides import ShownFirst, SpeaksFirst, TellsPersonas, argue
from moot.debate.verdicts import says


@protocol(
    paper="arXiv:2305.19118",
    calls="3 * rounds + 1",
    fewest="3",
    roles=("affirmative", "negative", "judge"),
    agreement=True,
)
async def multi_persona(
    debate: Debate,
    question: Question,
    *,
    rounds: Rounds = 3,
    speaks_first: SpeaksFirst = "affirmative",
    shown_first: ShownFirst = "affirmative",
    tells_personas: TellsPersonas = False,
) -> Verdict:
    """Let an affirmative answer and a negative contradict until a judge has made up its mind.

    The affirmative reads the negative, the negative the affirmative's newest, the judge both. When
    no round decided, the judge is asked once more and must. A ruling that supports a side and gives
    no answer of its own decides for that side's.
    """
    argument = await argue(
        debate,
        "judge",
        rounds=rounds,
        speaks_first=speaks_first,
        shown_first=shown_first,
        tells_personas=tells_personas,
    )
    if argument.verdict is not None:
        return argument.verdict
    last = await debate.ask(argument.arbiter, "decide")
    return argument.decided(last, must=True) or says(last, by="judge")
