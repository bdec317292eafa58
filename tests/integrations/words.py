"""What the adapters' tests share: two documents' words, a question, a right and a wrong reply."""

GLASS = "Windscreen. The excess is £75 for a repair and £115 for a replacement."
RACING = "Racing on any track is not covered."
QUESTION = "What is the windscreen excess?"
REPLY = "The excess is £75 for a repair [1]."
WRONG = "The excess is £80 for a repair [1]."
