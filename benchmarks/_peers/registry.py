"""Who is measured: each client's title, environment, module, protocol and import statement. The standard library alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Client:
    """One row of the tables. ``env`` names its environment and its pins, ``module`` its file here."""

    title: str
    env: str
    module: str
    protocol: str
    statement: str
    packages: tuple[str, ...]
    variant: str = ""


_OURS = ("footnoted", "aiohttp", "pydantic", "onnxruntime")
_OUR_IMPORT = "from footnoted import *; import aiohttp"

CLIENTS: dict[str, Client] = {
    "bare": Client("bare aiohttp loop", "bare", "bare", "openai", "import aiohttp", ("aiohttp",), "openai"),
    "footnoted": Client(
        "footnoted, citations decoded", "footnoted", "footnoted", "openai", _OUR_IMPORT, _OURS, "openai-off"
    ),
    "footnoted-checked": Client(
        "footnoted, every sentence checked", "footnoted", "footnoted", "openai", _OUR_IMPORT, _OURS, "openai-hold"
    ),
    "openai": Client("openai SDK", "openai", "openai", "openai", "from openai import AsyncOpenAI", ("openai",)),
    "litellm": Client("litellm", "litellm", "litellm", "openai", "import litellm", ("litellm", "openai")),
    "pydantic-ai": Client(
        "pydantic-ai",
        "pydantic-ai",
        "pydantic_ai",
        "openai",
        "from pydantic_ai import Agent; from pydantic_ai.models.openai import OpenAIChatModel",
        ("pydantic-ai-slim", "openai"),
    ),
    "haystack": Client(
        "Haystack",
        "haystack",
        "haystack",
        "openai",
        "from haystack.components.generators.chat import OpenAIChatGenerator",
        ("haystack-ai", "openai"),
    ),
    "llamaindex": Client(
        "LlamaIndex",
        "llamaindex",
        "llamaindex",
        "openai",
        "from llama_index.llms.openai import OpenAI; from llama_index.core.query_engine import CitationQueryEngine",
        ("llama-index-core", "llama-index-llms-openai", "openai"),
    ),
    "langchain": Client(
        "LangChain",
        "langchain",
        "langchain",
        "openai",
        "from langchain_openai import ChatOpenAI",
        ("langchain-core", "langchain-openai", "openai"),
    ),
    "footnoted-anthropic": Client(
        "footnoted", "footnoted", "footnoted", "anthropic", _OUR_IMPORT, _OURS, "anthropic-off"
    ),
    "anthropic": Client(
        "anthropic SDK", "anthropic", "anthropic", "anthropic", "from anthropic import AsyncAnthropic", ("anthropic",)
    ),
    "bare-anthropic": Client(
        "bare aiohttp loop", "bare", "bare", "anthropic", "import aiohttp", ("aiohttp",), "anthropic"
    ),
    "footnoted-gemini": Client("footnoted", "footnoted", "footnoted", "gemini", _OUR_IMPORT, _OURS, "gemini-off"),
    "google-genai": Client(
        "google-genai SDK", "google-genai", "google_genai", "gemini", "from google import genai", ("google-genai",)
    ),
    "bare-gemini": Client("bare aiohttp loop", "bare", "bare", "gemini", "import aiohttp", ("aiohttp",), "gemini"),
}

# One row a library, where the protocol makes no difference to what is measured.
LIBRARIES = [
    "footnoted",
    "openai",
    "anthropic",
    "google-genai",
    "litellm",
    "pydantic-ai",
    "haystack",
    "llamaindex",
    "langchain",
]
