"""Doubles for tests: a model on loopback in eight protocols, its faults, and a provider with no wire."""

from footnoted.testing import faults
from footnoted.testing.script import Fault, Pin, Reply, Request
from footnoted.testing.scripted import ScriptedProvider, scripted_provider
from footnoted.testing.server import ScriptedLLM, closed_port

__all__ = [
    "Fault",
    "Pin",
    "Reply",
    "Request",
    "ScriptedLLM",
    "ScriptedProvider",
    "closed_port",
    "faults",
    "scripted_provider",
]
