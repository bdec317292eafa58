"""Controls, compliance maps and checks in; the entries that help with a question out."""
