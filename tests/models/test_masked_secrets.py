"""Values of secret variables stand in no text of a server, in the forms that are promised."""

from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote_plus

import pytest

from moot.models.masked_secrets import mask_secrets


@pytest.fixture
def secret(monkeypatch):
    value = 'a"b/ü?>'
    monkeypatch.setenv("KEY", value)
    monkeypatch.setenv("HEADER", f"Bearer {value}")
    monkeypatch.setenv("SHORT", "abc")
    return value


def mask(value):
    return mask_secrets(value, ("KEY", "HEADER", "SHORT", "NOT_SET"))


def test_what_json_holds_is_masked_throughout(secret):
    held = {"a": [secret, 1, None, {secret: "x\x00\ud800"}], "b": True}
    made = mask(held)
    assert secret not in str(made)
    assert made["a"][1:3] == [1, None]
    assert made["b"] is True
    [text] = made["a"][3].values()
    assert text.isprintable()
    assert text.startswith("x")


def test_every_form_is_masked_the_longest_first_and_a_short_value_left(secret):
    assert mask(f"Authorization: Bearer {secret}") == "Authorization: [HEADER]"
    assert mask(f"Basic {secret}").startswith("Basic [")
    assert mask("abc and more") == "abc and more"
    for form in ('a\\"b/ü?>', 'a\\"b/\\u00fc?>', quote_plus(secret), "a%22b/%C3%BC%3F%3E"):
        assert mask(f"<{form}>") in ("<[KEY]>", "<[HEADER]>")
    for code in (b64encode, urlsafe_b64encode):
        assert mask(code(secret.encode()).decode()).startswith("[")
