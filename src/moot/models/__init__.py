"""Models, one file for each kind. A model answers calls."""

PROVIDERS = {
    "http": "anthropic azure cerebras deepseek fireworks gemini groq http llamacpp lmstudio "
    "mistral ollama openai openrouter sglang together vllm xai",
    "local": "local",
    "scripted": "scripted",
    "simulated": "simulated",
}
"""The providers of models in each module."""
