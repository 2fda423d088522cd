"""Metrics: each is a pure function of one transcript, registered by a decorator.

``moot.studies.run_results`` sums them up over a run.
"""

METRICS = {
    "accuracy": "accuracy any-correct failed first-accuracy oracle-gap unparsed",
    "averages": "completion-tokens-per-agent completion-tokens-per-reply "
    "completion-tokens-per-round cost-per-agent cost-per-reply cost-per-round "
    "prompt-tokens-per-agent prompt-tokens-per-reply prompt-tokens-per-round "
    "reasoning-tokens-per-agent reasoning-tokens-per-reply reasoning-tokens-per-round "
    "seconds-per-agent seconds-per-reply seconds-per-round",
    "changes": "change-rate change-rate-of-all changed changed-of-all parsed-change-rate "
    "parsed-changed parsed-changed-of-all",
    "first_pool": "all-wrong drift escape first-vote-accuracy lost",
    "firsts": "first-consensus first-diversity unique-first-answers unique-parsed-first-answers",
    "flips": "kept-right kept-wrong right-to-wrong wrong-to-right",
    "gains": "gain-to-last gain-to-verdict",
    "influence": "bullied-by-other bullied-by-other-of-all relied-on-other relied-on-other-of-all",
    "judges": "invented-answers",
    "last_answers": "consensus consensus-accuracy parsed-consensus unanimous",
    "openings": "opening-followed",
    "per_agent": "agent-accuracy agent-any-unparsed agent-last-unparsed answers-per-agent "
    "unparsed-replies",
    "per_reply": "characters-per-reply removed-per-reply",
    "rounds": "correct-rounds correct-rounds-share first-correct-round nodes-agree rounds sweeps",
    "seconds": "seconds wall-seconds",
    "side_support": "supports-affirmative supports-first-speaker supports-shown-first",
    "usage": "batch-saving batched cacheable cached cached-tokens calls completion-tokens cost "
    "cut-off-replies prompt-tokens reasoning-tokens removed replayed retries "
    "thought-only-replies",
}
"""The metrics in each module."""
