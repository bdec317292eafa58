"""Splits text into claims and gives each a verdict with the exact words it rests on."""

from footnoted.grounding.check import Checker
from footnoted.grounding.claims import ClaimSegmenter, segment
from footnoted.grounding.detector import GroundingResult, HallucinationDetector

__all__ = ["Checker", "ClaimSegmenter", "GroundingResult", "HallucinationDetector", "segment"]
