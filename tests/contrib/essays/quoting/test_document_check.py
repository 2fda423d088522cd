"""Document check: what stands in a folder and in none of the passages shown."""

from time import process_time

import pytest

from moot.contrib.essays.quoting.document_check import find_unshown
from moot.core.events import Passage

SHOWN = (Passage(1, "a.md:1", "Museums live on fees."),)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    towns = (f"The museum committee of town number {n}" for n in range(2_000))
    filler = "".join(f"{each} discusses admission prices every year.\n\n" for each in towns)
    last = "The museum committee of Linz discusses admission prices with gardeners.\n\n"
    made = tmp_path_factory.mktemp("towns")
    text = f"Museums live on fees.\n\n{filler}{last}It costs €7.25.\n"
    (made / "a.md").write_text(text)
    return str(made)


@pytest.mark.parametrize(
    ("essay", "sources"),
    [
        ("“committee of Linz discusses admission prices with gardeners” [1]", ["a.md:4003"]),
        ("It costs 7.25 euros [1].", ["a.md:4005"]),
        ("“prices with gardeners. It costs” [1]", ["a.md:4003 to a.md:4005"]),
        ("“committee of Linz discusses admission prices with painters” [1]", []),
        ("It costs 7.25 dollars [1]. “Museums live on fees” [1].", []),
        ("“Museums live on fees” [7].", []),  # stands in a passage that was shown
    ],
)
def test_the_passage_is_found_among_thousands_that_are_like_it(folder, essay, sources):
    started = process_time()
    found = find_unshown(folder, [essay, essay], SHOWN)
    assert [each.source for each in found] == sources
    assert [each.number for each in found] == [2][: len(sources)]
    assert process_time() - started < 5


def test_what_is_known_needs_no_source(folder):
    said = "with gardeners. It costs"
    assert not find_unshown(folder, [f"“{said}”"], SHOWN, [said])


@pytest.mark.parametrize(
    ("essay", "stands"),
    [
        ("The twelve museums of Graz are free [1].", "The 12 museums of Graz are free."),
        ("The 12 museums of Graz are free [1].", "The twelve museums of Graz are free."),
        ("A third of the museums closed [1].", "33 per cent of the museums closed."),
        ("It rose by 5 per cent [1].", "It rose by 5 per cent."),
    ],
)
def test_a_number_is_found_by_its_value_behind_many_of_the_same_digits(tmp_path, essay, stands):
    filler = "".join(f"Town {n} takes 5 euros.\n\n" for n in range(1_000, 1_250))
    (tmp_path / "a.md").write_text(f"Museums live on fees.\n\n{filler}{stands}\n")
    [found] = find_unshown(str(tmp_path), [essay], SHOWN)
    assert found.text.endswith(stands)
