"""Whatever a study file has in it: a study that can be planned, or an error that names the file."""

from contextlib import suppress

from hypothesis import strategies as st

from moot.core.errors import MootError
from moot.studies.plan import Plan
from moot.studies.sources import list_shipped_studies
from moot.studies.study_file import load
from support.commands import STUDY
from support.fuzzing import VALUES, WORDS, fuzz, mutated

FILES = [STUDY, *(each.toml for each in list_shipped_studies())]
KEYS = [
    *("name", "extends", "baseline", "replicates", "at_once", "confirm_above", "prompts"),
    *("equal_budget", "settings", "datasets", "arms", "budget", "retry", "prices", "models"),
    *("protocol", "agents", "rounds", "model", "n", "seed", "put", "cast", "style", "examples"),
]


def plan(source) -> None:
    """Load a study and plan its first questions; only moot's own errors may come."""
    with suppress(MootError):
        Plan(load(source), limit=1)


def test_mutated_study_files(tmp_path):
    file = tmp_path / "study.toml"

    def check(text):
        file.write_text(text, errors="surrogatepass")
        plan(file)

    fuzz(check, text=st.sampled_from(FILES).flatmap(mutated))


def test_any_bytes_as_a_study(tmp_path):
    file = tmp_path / "study.toml"

    def check(data):
        file.write_bytes(data)
        plan(file)

    fuzz(check, data=st.binary(max_size=200) | mutated(STUDY).map(str.encode).map(lambda b: b[:90]))


def test_any_mapping_as_a_study():
    tables = st.dictionaries(st.sampled_from(KEYS) | WORDS, VALUES, max_size=5)
    good = {
        "name": "fuzz",
        "settings": {"model": "simulated/people"},
        "datasets": [{"name": "starters", "n": 2}],
        "arms": [{"protocol": "single"}],
    }

    def check(top, inner):
        plan(good | top)
        plan(good | {"settings": good["settings"] | inner})
        plan(good | {"arms": [{"protocol": "society-of-minds"} | inner]})
        plan(good | {"datasets": [good["datasets"][0] | inner]})

    fuzz(check, top=tables, inner=tables)
