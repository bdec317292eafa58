"""An understood question in; a cited answer from findings, knowledge base and documents out."""
