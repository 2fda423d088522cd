"""Models, small studies and an environment for tests of commands and of tuning."""

import os
import random
import sqlite3

import moot

FOUR = "scripted?reply=Final answer: 4"


SIMULATED = "simulated/people?accuracy=0.6"


STUDY = f"""
name = "small"
[settings]
model = "{SIMULATED}"
[[datasets]]
name = "arithmetic"
n = 4
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
"""


def environment():
    """This process's, without what would lead moot elsewhere."""
    return {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}


def count_replies(file):
    """The replies that a store's file holds; 0 before it is made."""
    if not file.exists():
        return 0
    with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as connection:
        try:
            return connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:  # being made at this moment
            return 0


def begun(file):
    """Whether a run has got its first reply."""
    return count_replies(file) > 0


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
