"""Studies of a few sums."""


def sums(name, model, n=4, arms=({"protocol": "single"},), **more):
    """Return a study that asks so many sums."""
    data = [{"name": "arithmetic", "n": n}]
    study = {"name": name, "settings": {"model": model}, "datasets": data, "arms": list(arms)}
    return study | more
