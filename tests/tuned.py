"""What tests of tuning have in common: an agent whose best temperature is known, and a study."""

import random

import moot

BEST = 0.8


def knows(call):
    """Right the more often, the nearer the temperature is to the best; the same draws for all."""
    scene, at = call.scene, call.sampling.temperature or 0.0
    chance = random.Random(f"{scene.question.id} {call.draw}").random()
    right = chance < 0.95 - abs(at - BEST)
    return f"Final answer: {scene.question.answer if right else 12345}"


def planted(answer=knows):
    """The agent, under one name."""
    return moot.Scripted(answer, name="planted")


def study(n=80, space=None, trials=10, **more):
    """A study of the planted agent; what is said of ``tune`` is laid over its table."""
    tune = {
        "protocol": "single",
        "trials": trials,
        "space": space or {"temperature": {"low": 0.0, "high": 2.0}},
        "baseline": {"temperature": 0.1},
    }
    return {
        "name": "planted",
        "settings": {"model": "scripted/planted"},
        "datasets": [{"name": "arithmetic", "n": n, "difficulty": 2}],
    } | {**more, "tune": tune | more.get("tune", {})}
