"""Sources are data, never instructions: the attacks, and where each is held.

Every case of `corpus.ATTACKS` names what it attempts, carries the hostile source, title or question, and what a
model that obeys it would write. Each goes through the doors below, parametrised by the
case's name:

| what an attack wants                                             | cases named     | where it is held                     |
|------------------------------------------------------------------|-----------------|--------------------------------------|
| to override the instructions, in any language or role            | override-*      | test_prompt, test_extractive, test_hold |
| to open or close a turn, a fence, a tool call                    | turn-*          | test_prompt (fence, chat tokens)     |
| to learn the prompt, or to send what was asked elsewhere         | leak-*          | test_prompt, test_hold (addresses)   |
| to break out of the format                                       | format-*        | test_formats (all formats, over HTTP) |
| to forge or shift a citation                                     | cite-*          | test_prompt, test_formats            |
| to forge a refusal                                               | refuse-*        | test_prompt, test_extractive, test_hold |
| to run in the reader's page or terminal                          | page-*, term-*  | test_hold, test_formats, test_terminal |
| to say one thing to the eye and another to the model             | unicode-*       | test_prompt, test_formats            |
| to stall or exhaust                                              | size-*          | all of them, time bounded; test_time |
| to be taken for a template, a path, a number                     | template-*, path-*, number-* | test_prompt, test_extractive |

The doors: what the model is handed (test_prompt), the answer without a model (test_extractive), a model that obeys
over real HTTP in every format (test_formats), the same under checking (test_hold), the terminal (test_terminal).
What an order is, and what it is not, stands in test_orders; which characters only read, in test_inert.

What is not claimed: a lie told as a plain statement is a statement, quoted and cited like any other; an order that
does not look like one (test_orders says what does) is kept out by the checker alone; without checking a model's own
words are the model's, and whoever renders its Markdown must keep scripts and images out.
"""
