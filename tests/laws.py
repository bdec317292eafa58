"""How hard a law is tried: quickly with every change, and thoroughly (``make thorough``, FOOTNOTED_TESTS=thorough) at night."""

import os

from hypothesis import HealthCheck, settings

THOROUGH = os.environ.get("FOOTNOTED_TESTS") == "thorough"


def tried(examples: int) -> settings:
    """With so many examples, the same ones every time; at night twenty times as many, and new ones every time."""
    return settings(
        max_examples=examples * 20 if THOROUGH else examples,
        deadline=None,
        derandomize=not THOROUGH,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
