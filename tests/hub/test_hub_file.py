import pytest

from moot.core.errors import InputError
from moot.hub.hub_file import locate_hub_file


@pytest.mark.parametrize(
    ("endpoint", "address"),
    [
        (None, "https://huggingface.co/datasets/o/r/resolve/refs%2Fpr%2F1/a/b%20c.csv"),
        ("http://127.0.0.1:1/hub/", "http://127.0.0.1:1/hub/datasets/o/r/resolve/refs%2Fpr%2F1/"),
    ],
)
def test_an_address_is_at_the_endpoint(monkeypatch, endpoint, address):
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    if endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
    place = locate_hub_file("o/r", "a/b c.csv", "refs/pr/1", shelf="datasets/")
    assert str(place.url()).startswith(address)
    assert str(place) == "hf:datasets/o/r/a/b c.csv@refs/pr/1"


def test_an_endpoint_that_is_no_address_is_named(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "localhost:8080")
    with pytest.raises(InputError, match="HF_ENDPOINT must be an address"):
        locate_hub_file("o/r", "f.csv").url()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("r", "f.csv"), "repo is 'r'; write OWNER/NAME"),
        (("../r", "f.csv"), r"repo is '\.\./r'"),
        (("o/r/s", "f.csv"), "repo is 'o/r/s'"),
        (("o/r", ""), "file is ''; write a path"),
        (("o/r", "/etc/passwd"), "file is '/etc/passwd'"),
        (("o/r", "a/../../f.csv"), "file is "),
        (("o/r", "f.csv", ""), "revision is ''; write a branch"),
        (("o/r", "f.csv", "../x"), "revision is "),
    ],
)
def test_what_cannot_be_is_named(given, named):
    with pytest.raises(InputError, match=named):
        locate_hub_file(*given)
