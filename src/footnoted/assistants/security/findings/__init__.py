"""Keeps the findings of scanners' files, a tenant each, and gives pages of them."""
