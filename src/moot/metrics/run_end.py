"""The metrics that the end of a run shows: all others are measured when they are asked for."""

from moot.metrics import accuracy, flips, seconds, usage
from moot.metrics.metric import MetricPlan

RUN_END = MetricPlan(
    (
        accuracy.accuracy,
        accuracy.first_accuracy,
        accuracy.oracle_gap,
        accuracy.measure_unparsed,
        accuracy.measure_failed,
        flips.wrong_to_right,
        flips.right_to_wrong,
        flips.measure_kept_right,
        flips.measure_kept_wrong,
        usage.calls,
        usage.measure_replayed,
        usage.retries,
        usage.measure_batched,
        usage.measure_batch_saving,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.reasoning_tokens,
        usage.measure_cached_tokens,
        usage.thought_only_replies,
        usage.cost,
        seconds.seconds,
    )
)
"""Those that ``ArmResult`` has a field for, with the values of rounds and nodes."""
