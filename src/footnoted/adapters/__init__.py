"""Other libraries' documents, questions and models in; answers and verdicts, in those libraries' own forms, out.

One module a library, each with an extra of its name; none is opened by the others, nor by ``import footnoted``.
"""
