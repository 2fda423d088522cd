"""Multi-Persona with proposals: angel, devil, judge, as the settings paper has them."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Rounds
from moot.debate.stops import stop_at_decision
from moot.debate.verdicts import first_answer, verdict_from
from moot.debate.views import Views


@protocol(
    paper="Detailed Settings for Different Multi-Agent Debate Framework, Multi-Persona",
    calls="3 * rounds",
    fewest="3",
    roles=("affirmative", "negative", "judge"),
    agreement=True,
    group="judges",
    faithful=("paper",),
)
async def multi_persona_proposals(
    debate: Debate, question: Question, *, rounds: Rounds = 3
) -> Verdict:
    """Let an affirmative propose, a negative refine and a judge decide, over one history.

    Use it when an answer should be refined by its opponent before a judge decides; as with every
    judge, the last word is one agent's.

    The judge's decision ends the debate; in the last round it has to give a final answer. Where it
    gives none, the negative's newest proposal counts, else the affirmative's.

    Differs:
        - Sensitive: the settings paper has all three answer sensitive questions as fiction or as an
          analysis. This is left out: it invites answers that evade the question, and would change
          what is measured. What the judge needs of it stays: it never refuses.
        - History: the paper writes the history into the system message. Here it stands in the
          prompt.
        - Last round: in it the judge may decide or give a final answer in the paper. Here it is
          asked for a final answer alone; a decision is read as well.
        - Style: the paper knows of none. Here the style holds for both sides, who always give
          reasons: ``simple`` and ``few-shot`` do not ask them for the answer at once.
        - Agreement: it stands in no source. It takes the place of what the negative is told to
          attack.
    """
    [affirmative] = debate.seat("affirmative", remembers=False)
    [negative] = debate.seat("negative", remembers=False)
    [judge] = debate.seat("judge", remembers=False, debater=False)
    said = Views()
    for left in reversed(range(rounds)):
        said = said.add(await debate.ask(affirmative, "propose", history=said))
        said = said.add(await debate.ask(negative, "challenge", history=said))
        ruling = await debate.ask(judge, "weigh" if left else "close", history=said)
        said = said.add(ruling)
        if stop_at_decision(said, question):
            return verdict_from(ruling, by="judge")
    newest = said.newest([judge, negative, affirmative])
    return first_answer(*newest, by=("judge", "negative", "affirmative"))
