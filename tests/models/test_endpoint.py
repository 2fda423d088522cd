"""Names of HTTP models: addresses and options, and what is wrong with the wrong ones."""

import pytest

from moot.core.errors import InputError
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
        ("https://h/v1/acct/prod/compat/a/b", "https://h/v1/acct/prod/compat", "a/b"),
    ],
)
def test_addresses(address, base, model):
    assert split_address(address) == (base, model)
    assert load(address).name == address
    assert load(address).address.base == base


@pytest.mark.parametrize(
    "key", ["sk-abc123", "gsk_abc123", "AIzaSyABC", "AKIAIOSFODNN7", "MY-KEY", "", "A_B C", "KEY="]
)
def test_a_key_in_place_of_its_variable_is_not_repeated(key):
    with pytest.raises(InputError, match="never the key itself") as caught:
        load(f"http://h/v1/m?key={key}")
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *(
            (f"http://{rest}", "model 'http")
            for rest in (
                *("h/m", "h/v1", "h/v1/", "/v1/m", "h:99999/v1/m", "h:x/v1/m", "[::1/v1/m"),
                "h/v1/chat/completions",
            )
        ),
        *(
            (f"http://{user}h/v1/m?rpm=x", "no user and password")
            for user in ("bob:hunter22@", "hunter22@", "a:hunter22@x@")
        ),
        *(
            (f"{name}?{option}", f"^model '{name}': .*option {option.split('=')[0]}.*{expected}")
            for name in ("http://h/v1/m", "openai/m")
            for option, expected in (
                *((f"concurrency={n}", "a whole number of requests") for n in ("0", "many", "1.5")),
                *((f"rpm={n}", "requests a minute") for n in ("0", "nan")),
                ("tpm=-1", "tokens a minute"),
                *((f"timeout={n}", "seconds") for n in ("inf", "")),
                ("context=x", "a whole number of tokens"),
                ("seed=7", "on or off"),
            )
        ),
        ("openai/m?concurency=5", r"openai/m.*did you mean 'concurrency'\?.*rpm, seed"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name, said):
    with pytest.raises(InputError, match=said) as caught:
        load(name)
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("name", ["openai/m", "http://h/v1/m"])
def test_only_what_changes_replies_is_in_the_name(name):
    assert load(f"{name}?rpm=5&timeout=9&concurrency=2&key=MY_KEY").name == name
    assert load(f"{name}?seed=off&rpm=1").name == f"{name}?seed=off"
