"""Texts in; contextual token vectors and sentence vectors out. Runs on the CPU, needs no network."""

from footnoted.encoder.encoder import Encoded, Encoder, EncoderUnavailable, products

__all__ = ["Encoded", "Encoder", "EncoderUnavailable", "products"]
