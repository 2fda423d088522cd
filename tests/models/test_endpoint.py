"""Names of HTTP models: addresses and options, and what is wrong with the wrong ones."""

import pytest

from moot.core.errors import InputError, UnknownName
from moot.models.endpoint_address import split_address
from moot.models.model_names import load


@pytest.mark.parametrize(
    ("address", "base", "model"),
    [
        ("http://127.0.0.1:8000/v1/llama", "http://127.0.0.1:8000/v1", "llama"),
        ("https://h/v1/org/name:7b", "https://h/v1", "org/name:7b"),
        ("https://h/a/b/v1/m", "https://h/a/b/v1", "m"),
        ("https://h/v1/v1/m", "https://h/v1", "v1/m"),
        ("https://h/v1beta/openai/m", "https://h/v1beta/openai", "m"),
        ("https://h/openai/v1/m", "https://h/openai/v1", "m"),
        ("http://[::1]:80/v1/m", "http://[::1]:80/v1", "m"),
        ("http://h/v1/m@2", "http://h/v1", "m@2"),
    ],
)
def test_addresses(address, base, model):
    assert split_address(address) == (base, model)
    assert load(address).name == address


@pytest.mark.parametrize(
    "address",
    [
        "http://h/m",
        "http://h/v1",
        "http://h/v1/",
        "http:///v1/m",
        "http://h:99999/v1/m",
        "http://h:x/v1/m",
        "http://[::1/v1/m",
        "http://h/v1/chat/completions",
    ],
)
def test_addresses_that_cannot_be(address):
    with pytest.raises(InputError, match=r"model 'http"):
        load(address)


@pytest.mark.parametrize("user", ["bob:hunter22@", "hunter22@", "a:hunter22@x@"])
def test_a_password_is_refused_and_not_repeated(user):
    with pytest.raises(InputError, match="no user and password") as caught:
        load(f"http://{user}h/v1/m?rpm=x")
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize(
    "key", ["sk-abc123", "gsk_abc123", "AIzaSyABC", "AKIAIOSFODNN7", "MY-KEY", "", "A_B C", "KEY="]
)
def test_a_key_in_place_of_its_variable_is_not_repeated(key):
    with pytest.raises(InputError, match="never the key itself") as caught:
        load(f"http://h/v1/m?key={key}")
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("concurrency=0", "a whole number of requests"),
        ("concurrency=many", "a whole number of requests"),
        ("concurrency=1.5", "a whole number of requests"),
        ("rpm=0", "requests a minute"),
        ("rpm=nan", "requests a minute"),
        ("tpm=-1", "tokens a minute"),
        ("timeout=inf", "seconds"),
        ("timeout=", "seconds"),
        ("context=x", "a whole number of tokens"),
        ("seed=7", "on or off"),
    ],
)
@pytest.mark.parametrize("name", ["http://h/v1/m", "openai/m"])
def test_values_that_cannot_be(name, option, expected):
    with pytest.raises(InputError, match=f"option {option.split('=')[0]}.*{expected}") as caught:
        load(f"{name}?{option}")
    assert str(caught.value).startswith(f"model '{name}': ")


@pytest.mark.parametrize("name", ["http://h/v1/m", "openai/m"])
def test_an_unknown_option(name):
    with pytest.raises(UnknownName, match=r"did you mean 'concurrency'\?.*rpm, seed") as caught:
        load(f"{name}?concurency=5")
    assert name in str(caught.value)


def test_only_what_changes_replies_is_in_the_name():
    assert load("openai/m?rpm=5&timeout=9&concurrency=2&key=MY_KEY").name == "openai/m"
    assert load("openai/m?seed=off").name == "openai/m?seed=off"
    assert load("http://h/v1/m?seed=off&rpm=1").name == "http://h/v1/m?seed=off"
