"""The words in which endpoints refuse, each with its source.

A source is a provider or a server. Wordings without a report of their own are those that pi's list
of such errors has (earendil-works/pi, ``packages/ai/src/utils/overflow.ts``).
"""

import re

TOO_LONG = (
    (
        r"context.?(length|window|size|limit)",
        "OpenAI, vLLM, SGLang, LM Studio, llama.cpp, Anthropic",
    ),
    (r"maximum context|max(imum)? model len", "OpenRouter, Mistral; vLLM"),
    (
        r"prompt (is |was )?too long|prompt tokens too long",
        "Anthropic, Ollama, Atlas (PR 186); Baidu",
    ),
    (r"(input|messages?) (length )?(is |are )?too long", "Bedrock, Hunyuan"),
    (r"too many (input )?tokens", "Cohere"),
    (r"reduce the length", "OpenAI, Groq"),
    (r"exceeds? the (model'?s )?maximum (context|input|length|prompt|number)", "Gemini, LiteLLM"),
    (
        r"(exceeds? the )?maximum allowed input length",
        "Poolside, GLM by OpenRouter (pi, issue 4943)",
    ),
    (r"maximum prompt length is", "xAI"),
    (r"exceed(s|ed)? model token limit", "Moonshot"),
    (
        r"超长|超[出过].{0,8}(最大|上下文|限制|长度)|长度.{0,6}超[出过限]",
        "Zhipu, code 1261; new-api",
    ),
    (r"inputs`? tokens? \+ `?max_new_tokens`? must be", "Text Generation Inference"),
    (r"inputs`? must have less than [\d,]+ tokens", "Text Generation Inference"),
    (r"range of input length should be", "DashScope"),
    (r"prompt tokens? (count )?(of [\d,]+ )?exceed", "Copilot; others"),
    (r"tokens in request more than max tokens allowed", "OpenCode's list"),
    (r"exceed\w* (the )?`?max_?(seq|model|input|prompt|context)", "TensorRT-LLM, Atlas (PR 186)"),
    (r"string too long|string with maximum length|expected maxlength", "OpenAI; Bedrock"),
    (r"\A(?!.*max_\w*tokens).*(tokens? limit exceeded|exceed(s|ed)? (the )?tokens? limit)", "pi"),
    (r"longer than the (model|maximum)", "Together, SGLang, vLLM"),
)
"""Wordings of a prompt that does not fit the model's context."""
TOO_LONG_CODES = (
    (r"context", "OpenAI: context_length_exceeded; z.ai: model_context_window_exceeded"),
    (r"string_above_max_length", "OpenAI"),
    (r"max_prompt_tokens_exceeded", "Copilot"),
    (r"\b1261\b", "Zhipu"),
    (r"(input|prompt)_too_long|request_too_large", "Anthropic"),
)
"""Codes and types of the same."""
TOO_FAST = (
    (
        r"per (minute|min|day|hour|second)\b|rate.?limit|throttl|please wait",
        "Bedrock (agentao, PR 88)",
    ),
    (r"\b(daily|hourly|weekly|monthly|quota|tp[md])\b", "Groq (TPD, TPM); gateways, no report"),
    (r"\bfor (today|the day|this (minute|hour|day|week|month))\b", "gateways, no report"),
)
"""Wordings of a limit on speed or of a quota, which may speak of too many tokens as well."""
UNSUPPORTED = (
    (r"unsupported|not (currently )?support|n't support|no longer support", "OpenAI, Azure, vLLM"),
    (r"unknown|unrecogni[sz]ed|unexpected|not recogni[sz]ed", "Gemini, OpenAI, Cohere"),
    (r"not (permitted|allowed|available|implemented|enabled)|forbidden", "pydantic, Azure"),
    (r"extra (inputs|fields)", "pydantic: vLLM, Mistral, Anthropic"),
    (r"not an? (valid|known|supported) (parameter|argument|field|property|key)", "gateways"),
    (r"incompatible request argument|deprecated", "OpenAI"),
    (r"不支持.{0,6}参数|参数.{0,20}不支持|未知参数", "Chinese gateways: new-api"),
)
"""Wordings of a parameter that the endpoint does not take; the parameter is named beside them."""
MODERATED = (
    (
        r"moderation|flagged|safety|content.?(policy|filter)|policy violation",
        "OpenAI, Azure, OpenRouter",
    ),
    (r"content management|responsible.?ai|jailbreak", "Azure"),
    (r"guardrail|prohibited.content|harmful|inappropriate", "Bedrock, Gemini, DashScope"),
    (r"usage (policy|policies|guidelines)|sensitive|敏感", "OpenAI, xAI; Zhipu"),
)
"""Wordings of a safety system that refuses one prompt."""
_SYSTEM = "(system|developer) (role|message|prompt|instruction)"
NO_SYSTEM = (
    (
        r"does not support ['\"`]?system['\"`]",
        "OpenAI: o1-mini, o1-preview (forgecode, issue 1177)",
    ),
    (
        rf"{_SYSTEM}s?\b.{{0,40}}(not |n't |un)(currently )?(support|allow|accept|enabl|permit)",
        "templates of Gemma 2 and Mistral; Gemini: Developer instruction (new-api, issue 989)",
    ),
    (
        rf"(not|n't) (currently )?(support|allow|accept|permit)\w*( the| a)? {_SYSTEM}",
        "OpenAI (openai-dotnet, issue 330); gateways",
    ),
    (
        r"role ['\"`]?system['\"`]? is not (supported|allowed)",
        "Anthropic (claude-code, issue 61412)",
    ),
    (r"(invalid|unknown|unexpected|unsupported) (message )?role:? ?['\"`]?system", "gateways"),
    (r"不支持的? ?(message )?role:? ?system|不支持 ?system", "Intern (cherry-studio, issue 8589)"),
    (r"only user(,| and) (assistant|model)( and \w+)? roles", "templates of Mistral and Zephyr"),
    (
        r"(?<!after the optional system message, )conversation roles must alternate user/assistant",
        "templates of Mistral 7B and Gemma",
    ),
)
"""Wordings of a model that takes no system message."""

Table = tuple[tuple[str, str], ...]


def compile_words(table: Table) -> re.Pattern[str]:
    """Return the pattern of all wordings of a table, in any case."""
    return re.compile("|".join(words for words, _ in table), re.IGNORECASE)
