"""A model that writes JSON where JSON is asked for: its answer is read out of its object, at any cut."""

import json

import pytest

from footnoted import GroundedGenerator
from footnoted.answering.unwrapping import Unwrapped
from footnoted.testing import scripted_provider


async def answer(request, provider, **how):
    async with GroundedGenerator(provider, **how) as generator:
        return await generator.generate(request)


CASES = [
    ('{"answer": "It is £75 [1].", "sources": [1]}', "It is £75 [1]."),
    ('```json\n{\n  "answer": "It is £75 [1]."\n}\n```\n', "It is £75 [1]."),
    (r'{"answer": "a \"b\" \\ \/ \n\u20ac \ud83d\ude00 \ud83d. \uZ \x"}', 'a "b" \\ / \n€ 😀 \ufffd. uZ x'),
    ('{"answer": "He said "no" to it.", "a": 1}', 'He said "no" to it.'),
    ('{"answer": "two\nlines"}', "two\nlines"),
    ('{"answer": "It is £75', "It is £75"),
    ('{"answer": "It is £75\\', "It is £75"),
    ('{"answer": ""}', ""),
    ('{"confidence": 0.9, "answer": "It is £75 [1]."}', "It is £75 [1]."),
    ('{"answer": ["One [1].", "Two [2]."]}', "One [1].\nTwo [2]."),
    ('{"answer": null}', ""),
    ('{"response": "It is £75 [1]."}', "It is £75 [1]."),
    ('{"excess": {"repair": "£75 [1]", "new": null}, "days": 3}', "excess › repair: £75 [1]\ndays: 3"),
    ('[{"fee": "£5 [1]"}, {"fee": "£6 [2]"}]', "fee: £5 [1]\nfee: £6 [2]"),
    ("{}", ""),
    # no JSON: as it is
    ('{"excess": "£75 [1]", "gl', '{"excess": "£75 [1]", "gl'),
    ('{"excess": 5} is what the file holds [1].', '{"excess": 5} is what the file holds [1].'),
    ("[1] says it is £75.", "[1] says it is £75."),
    ("{curly} words", "{curly} words"),
    ('`{"a": 1}` is JSON.', '`{"a": 1}` is JSON.'),
    ('```python\nx = {"answer": "no"}\n```', '```python\nx = {"answer": "no"}\n```'),
    (' \n It is "£75" [1].', ' \n It is "£75" [1].'),
    (" " * 300, " " * 300),
    ("```", "```"),
]


@pytest.mark.parametrize(("reply", "answer"), CASES)
def test_the_answer_is_read_out_of_its_object(reply, answer):
    """Whole, in two pieces cut anywhere, or letter by letter."""
    for pieces in ([reply], list(reply), *([reply[:at], reply[at:]] for at in range(len(reply)))):
        unwrapped = Unwrapped()
        assert "".join([*map(unwrapped.decode, pieces), unwrapped.flush()]) == answer, pieces


def test_an_answer_is_let_through_as_it_comes():
    """An object that opens with its answer streams."""
    assert Unwrapped().decode('{"answer": "It is') == "It is"


@pytest.mark.parametrize("checking", ["hold", "off"])
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('{"answer": "The excess is £75 for a repair [1]."}', "The excess is £75 for a repair [1]."),
        ('{"found": false, "answer": "The excess is £75 for a repair [1]."}', "The excess is £75 for a repair [1]."),
    ],
)
async def test_json_is_not_encoded_twice(asked, reply, said, checking):
    """The reader's object holds the answer's words, cited, and not an object in a string."""
    response = await answer(asked(output_format="json"), scripted_provider(*reply), checking=checking)
    told = json.loads(response.response)
    assert told["answer"] == said
    assert told["citations"][0]["quote"] == response.citations[0].source_quote


async def test_a_refusal_in_an_object_is_a_refusal(asked):
    """The word of refusal counts where it is the answer."""
    reply = scripted_provider('{"answer": "NO_ANSWER the price"}')
    response = await answer(asked(output_format="json"), reply)
    assert response.finish_reason == "refused"
    assert json.loads(response.response)["finish_reason"] == "refused"
