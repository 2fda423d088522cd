"""Well-known chat-completions providers: where each is, and which variable holds its key."""

import msgspec

from moot.core.errors import InputError
from moot.models.address import Address, address_from_environment
from moot.models.effort import Way


class Provider(msgspec.Struct, frozen=True):
    """One provider of models in the chat-completions format.

    Attributes:
        name: what stands before the slash in a model's name.
        base: the address that ``/chat/completions`` is added to; ``{VARIABLE}`` at its beginning
            says that there is none but what that environment variable holds.
        key: the environment variable that holds its key; None where none is needed.
        seed: what the provider calls the sampling seed.
        prices: what the price package calls the provider; None where nothing is charged, or where
            the charge is not by token.
        header: the HTTP header that carries the key.
        effort: how it takes the effort of a reasoning model.
        variables: the environment variables that its own library, or else convention, takes another
            address from, the first before the others.
        root: the path that its own library adds to such an address.
        thought_beside: whether hidden thought is counted beside the completion tokens, in the total
            alone.
    """

    name: str
    base: str
    key: str | None = None
    seed: str = "seed"
    prices: str | None = None
    header: str = "Authorization"
    effort: Way = "reasoning_effort"
    variables: tuple[str, ...] = ()
    root: str = ""
    thought_beside: bool = False

    def address(self) -> Address:
        """Where it is now. Raises ``InputError`` if a variable is missing or holds no address."""
        found = address_from_environment(self.variables, self.root)
        if found is not None:
            return found
        if self.base.startswith("{"):
            variable = self.base[1:].partition("}")[0]
            message = f"{self.name}: set {variable} to the address of your resource"
            raise InputError(message)
        return Address(self.base)


_KNOWN = (
    Provider(
        "openai",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        prices="openai",
        variables=("OPENAI_BASE_URL",),
    ),
    Provider(
        "azure",
        "{AZURE_OPENAI_ENDPOINT}/openai/v1",
        "AZURE_OPENAI_API_KEY",
        prices="azure",
        header="api-key",
        variables=("AZURE_OPENAI_ENDPOINT",),
        root="/openai/v1",
    ),
    Provider(
        "anthropic",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        prices="anthropic",
        effort="none",
        variables=("ANTHROPIC_BASE_URL",),
        root="/v1",
    ),
    Provider(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        prices="google",
        variables=(
            "GOOGLE_GEMINI_BASE_URL",
            "GEMINI_BASE_URL",
        ),
        root="/v1beta/openai",
        thought_beside=True,
    ),
    Provider(
        "deepseek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
        prices="deepseek",
        effort="thinking",
        variables=("DEEPSEEK_BASE_URL",),
    ),
    Provider(
        "mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        "random_seed",
        "mistral",
        variables=("MISTRAL_BASE_URL",),
    ),
    Provider(
        "together",
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
        prices="together",
        variables=("TOGETHER_BASE_URL",),
    ),
    Provider(
        "groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        prices="groq",
        variables=("GROQ_BASE_URL",),
        root="/openai/v1",
    ),
    Provider(
        "openrouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        prices="openrouter",
        effort="reasoning",
        variables=("OPENROUTER_BASE_URL",),
    ),
    Provider(
        "xai",
        "https://api.x.ai/v1",
        "XAI_API_KEY",
        prices="x-ai",
        variables=("XAI_BASE_URL",),
        thought_beside=True,
    ),
    Provider(
        "fireworks",
        "https://api.fireworks.ai/inference/v1",
        "FIREWORKS_API_KEY",
        prices="fireworks",
        variables=("FIREWORKS_BASE_URL",),
        root="/inference/v1",
    ),
    Provider(
        "cerebras",
        "https://api.cerebras.ai/v1",
        "CEREBRAS_API_KEY",
        prices="cerebras",
        variables=("CEREBRAS_BASE_URL",),
        root="/v1",
    ),
    Provider(
        "vllm",
        "http://localhost:8000/v1",
        effort="template",
        variables=("VLLM_BASE_URL",),
        root="/v1",
    ),
    Provider(
        "sglang",
        "http://localhost:30000/v1",
        effort="template",
        variables=("SGLANG_BASE_URL",),
        root="/v1",
    ),
    Provider(
        "ollama",
        "http://localhost:11434/v1",
        variables=(
            "OLLAMA_BASE_URL",
            "OLLAMA_HOST",
        ),
        root="/v1",
    ),
    Provider(
        "llamacpp",
        "http://localhost:8080/v1",
        effort="template-only",
        variables=("LLAMACPP_BASE_URL",),
        root="/v1",
    ),
    Provider("lmstudio", "http://localhost:1234/v1", variables=("LMSTUDIO_BASE_URL",), root="/v1"),
)

PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in _KNOWN}
"""Every known provider, by name."""

ADDRESS_KEY = "MOOT_API_KEY"
"""The variable whose key goes to addresses written out in full."""

KEY_VARIABLES: frozenset[str] = frozenset(p.key for p in _KNOWN if p.key) | {ADDRESS_KEY}
"""Every variable that may hold a key."""


def owner(variable: str) -> Provider | None:
    """The provider a key variable belongs to; None if it is nobody's."""
    return next((provider for provider in _KNOWN if provider.key == variable), None)
