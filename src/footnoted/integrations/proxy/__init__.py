"""`footnoted proxy`: stands between any OpenAI or Anthropic client and its model, and checks what comes back.

The hard thing is to change nothing: a request goes on as it came, a reply keeps its bytes, order and pace, and what is
added (citations, verdicts) stands where clients that do not know it pass over it.
"""
