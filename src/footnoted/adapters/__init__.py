"""Other libraries' documents, questions and models in; footnoted's answers and verdicts, in those libraries' forms, out.

One module a library, each with an extra of its name; none is opened by the others, nor by ``import footnoted``.
"""
