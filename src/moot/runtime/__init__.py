"""The call path of every model call: draw, ledger, sharing, budget, limiter, retry, model."""
