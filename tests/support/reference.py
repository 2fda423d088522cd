"""What other packages compute, to compare with: ``reference.binom``, ``reference.bootstrap``.

Each is imported where a test first asks for it. Every worker collects all tests, and these
packages would take a quarter of that; few workers run the tests that need them.
"""

from importlib import import_module

_MODULES = {
    "TTestPower": "statsmodels.stats.power",
    "binom": "scipy.stats",
    "binomtest": "scipy.stats",
    "bootstrap": "scipy.stats",
    "f_oneway": "scipy.stats",
    "mcnemar": "statsmodels.stats.contingency_tables",
    "multinomial": "scipy.stats",
    "multipletests": "statsmodels.stats.multitest",
    "norm": "scipy.stats",
    "permutation_test": "scipy.stats",
    "proportion_confint": "statsmodels.stats.proportion",
}


def __getattr__(name):
    """Return a function or distribution of another package."""
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(_MODULES[name]), name)
