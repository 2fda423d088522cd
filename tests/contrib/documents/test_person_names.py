"""Lists of authors, and the parts of a name."""

import pytest

from moot.contrib.documents.person_names import is_person, split_name, split_names


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Ada Stone", ("Ada Stone",)),
        ("Ada Stone and Ben Fry", ("Ada Stone", "Ben Fry")),
        ("Stone, Ada", ("Stone, Ada",)),
        ("Stone, A.; Fry, B.", ("Stone, A", "Fry, B")),
        ("Ada Stone, Ben Fry", ("Ada Stone", "Ben Fry")),
        ("A. Stone*, B. Fry† & C. Ó Dálaigh²", ("A. Stone", "B. Fry", "C. Ó Dálaigh")),
        ("Anna Müller und Jan van der Berg", ("Anna Müller", "Jan van der Berg")),
        ("  ", ()),
    ],
)
def test_a_list_of_authors_is_taken_apart(said, names):
    assert tuple(each.rstrip(".") for each in split_names(said)) == names


@pytest.mark.parametrize(
    ("name", "family", "given"),
    [
        ("Ada Q. Stone", "Stone", "Ada Q."),
        ("Stone, Ada", "Stone", "Ada"),
        ("Jan van der Berg", "van der Berg", "Jan"),
        ("Seán Ó Dálaigh", "Ó Dálaigh", "Seán"),
        ("Ministry of Culture", "Ministry of Culture", ""),
        ("World Bank", "World Bank", ""),
        ("王小明", "王小明", ""),
        ("Voltaire", "Voltaire", ""),
    ],
)
def test_a_name_has_its_parts_and_an_organisation_none(name, family, given):
    assert split_name(name) == (family, given)


@pytest.mark.parametrize("words", ["the museum", "bus to Prague", "March 2019", "Stone", ""])
def test_other_words_are_no_person(words):
    assert not is_person(words)
