"""What is slow to import is imported at use."""

import subprocess
import sys

import pytest

MODULES = [
    "moot.metrics.metric",
    "moot.reports.shown_questions",
    "moot.reports.html",
    "moot.reports.latex",
    "moot.reports.markdown",
    "moot.reports.node_groups",
    "moot.core.display_text",
    "moot.reports.setup",
    "moot.reports.renderings",
    "moot.core.table",
    "moot.reports.transcript",
    "moot.analyses.comparison",
    "moot.studies.run_results",
    "moot.statistics",
]


@pytest.mark.parametrize("module", MODULES)
def test_importing_it_imports_nothing_slow(module):
    code = (
        f"import sys, {module}; "
        "print({'numpy', 'rich', 'jinja2', 'aiohttp', 'chess', 'genai_prices'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
