"""The knowledge base: controls, compliance maps and checks, and the entries that help with a question."""
