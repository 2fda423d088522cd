"""Floor 1: the call path that every model call of every protocol goes down.

Draw, ledger, in-flight sharing, budget, limiter, retry, model: cost, concurrency, failure and
replay are solved here once.
"""
