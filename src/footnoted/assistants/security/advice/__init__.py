"""Writes the cited answer to an understood question from findings, knowledge base and documents."""
