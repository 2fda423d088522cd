"""What is slow to import is imported at use."""

import subprocess
import sys

MODULES = [
    "moot.metrics.metric",
    "moot.reports.shown_questions",
    "moot.reports.html",
    "moot.reports.latex",
    "moot.reports.markdown",
    "moot.reports.node_groups",
    "moot.core.display_text",
    "moot.reports.setup",
    "moot.core.table",
    "moot.reports.transcript",
    "moot.analyses.comparison",
    "moot.studies.run_results",
    "moot.statistics",
    "moot.reports.renderings",
    "moot.analyses.tradeoff",
]


SLOW = {"numpy", "rich", "jinja2", "aiohttp", "chess", "genai_prices", "altair", "vl_convert"}


def test_importing_them_imports_nothing_slow():
    code = (
        "import sys; from importlib import import_module\n"
        f"for name in {MODULES}:\n"
        f"    import_module(name); print(name, {SLOW} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{name} set()" for name in MODULES]
