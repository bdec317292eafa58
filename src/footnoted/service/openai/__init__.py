"""OpenAI's two protocols, as the service speaks them: chat completions and responses, whole and streamed.

The hard thing is what is not said: a parameter that is not heeded is refused by name, never passed over.
"""
