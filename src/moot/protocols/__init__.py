"""Floor 3: one protocol a file, the algorithm alone."""

DEFAULT = "society-of-minds"
"""The protocol of a question for which none is named."""
SINGLE = "single"
"""The protocol that others are compared with where a study names no baseline."""
SAMPLES = "self-consistency"
"""The protocol of the arms that ``equal_budget = true`` adds to a study."""
NODE = "community"
"""The protocol of a network's node that names none."""

GROUPS = {
    "Debates: agents answer, read one another, and answer again": (
        "society-of-minds free-mad multi-persona chateval exchange-of-thought reconcile "
        "consensus-talk confidence-debate sparse-debate group-debate selective-debate "
        "majority-lock diverse-methods diverse-start chateval-scored agentverse debate-moderated "
        "multi-persona-proposals"
    ),
    "One reply, and votes: cheap, and what a debate has to beat": (
        "single self-consistency adaptive-consistency early-stopping-consistency medprompt "
        "ensemble-refinement self-correction solo-performance"
    ),
    "Councils and ballots: members of several models, a ranking or a vote": (
        "council mixture-of-agents ballot agenda-veto peer-review panel-review"
    ),
    "Judges: sides argue, a judge or jurors decide": (
        "community jury debate-match consultancy oversight-debate oversight-consultancy"
    ),
    "Gates: a debate only where a first answer is in doubt": (
        "confidence-gate agreement-gate feature-gate"
    ),
    "Networks: debates or agents along a graph": "network hopfield",
    "With tools or documents: agents that read or look up": (
        "tool-debate document-debate evidence-debate"
    ),
    "Essays: a written argument, with a plan or without": (
        "debate-to-write americano essay-plan essay-direct"
    ),
    "Experiments: does an agent follow what it is shown?": "exposure planted-peers",
    "Other frameworks": "autogen camel langgraph",
}
"""The protocols by what they are for, in a line each, the one to begin with first."""
