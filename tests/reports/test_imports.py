"""What is slow to import is imported at use."""

import subprocess
import sys

REPORTS = "shown_questions html latex markdown node_groups setup transcript renderings"
OTHERS = (
    "metrics.metric core.display_text core.table analyses.comparison analyses.tradeoff "
    "studies.run_results statistics"
)
MODULES = [*(f"moot.reports.{name}" for name in REPORTS.split())]
MODULES += [f"moot.{name}" for name in OTHERS.split()]
SLOW = {"numpy", "rich", "jinja2", "aiohttp", "chess", "genai_prices", "altair", "vl_convert"}


def test_importing_them_imports_nothing_slow():
    code = (
        "import sys; from importlib import import_module\n"
        f"for name in {MODULES}:\n"
        f"    import_module(name); print(name, {SLOW} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{name} set()" for name in MODULES]
