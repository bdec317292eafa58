"""Questions near to what the policies say that they do not tell: no product of theirs, a share, a price, a bare term."""

from uuid import uuid4

import pytest

from footnoted.assistants.insurance.extracts import PolicyExtracts
from footnoted.assistants.insurance.untold import not_sold, untold
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.types import Prompt, Source

WORDS = Vocabulary.load()


def section(text, *, product="Acme Home Contents", title="Acme Home Contents › 4. Accidents"):
    """A section of a product."""
    return Source(id=str(uuid4()), text=text, title=title, metadata={"product_name": product})


def asked(question, *sources):
    """What the documents' own sentences say to a question."""
    return PolicyExtracts().answer(Prompt(question=question, system="", ask=question, sources=sources))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Do you sell pet insurance?", "pet insurance"),
        ("What does the Landlord product cost?", "Landlord product"),
        ("Is there a dental plan?", "dental plan"),
        ("Do you offer home insurance?", ""),
        ("Can I cancel my contents policy?", ""),
        ("How do I renew insurance?", ""),
    ],
)
def test_a_kind_of_insurance_no_document_is_named_for_is_not_sold(question, kind):
    """The product's own kind and its kin are; words such as "renew" name no kind."""
    pets = section("Damage by your own pets is covered up to £500 in a year. We also pay for dental accidents.")
    assert not_sold(question, [pets], WORDS) == kind


def test_a_product_named_only_to_say_it_is_found_elsewhere_is_not_sold_here():
    """A sentence that speaks of it otherwise is enough."""
    elsewhere = "Homes let to others need our Landlord product, which is not described here."
    assert not_sold("What does the Landlord product cost?", [section(elsewhere)], WORDS) == "Landlord product"
    sold = section(f"{elsewhere} The Landlord product costs £90.")
    assert not not_sold("What does the Landlord product cost?", [sold], WORDS)


def test_pets_in_a_policy_are_no_pet_insurance_unless_a_document_is_named_so():
    """The same words, a product of that name: answered."""
    text = "The price of your pet's cover is £20 a month."
    assert not asked("How much is pet insurance?", section(text))
    assert asked("How much is pet insurance?", section(text, product="Acme Pet", title="Acme Pet › Price"))


def test_a_share_and_a_price_are_told_only_by_a_sentence_that_has_one():
    """An excess is no price, "five years" is no share in hundred."""
    years = section("Each year without a claim earns one year of discount, up to five years.")
    assert untold("What is my discount in percent?", years.text, years, WORDS) == "a share in hundred"
    assert not untold("What is my discount in percent?", "It falls by 12%.", years, WORDS)
    glass = section("The windscreen excess is £75.")
    assert untold("How much is a new windscreen?", glass.text, glass, WORDS) == "a price"
    assert not untold("How much is the windscreen excess?", glass.text, glass, WORDS)
    assert not untold("How much is a new windscreen?", "A new windscreen costs £300.", glass, WORDS)


def test_a_discount_for_some_is_not_the_no_claims_discount():
    """The bare head of a policy's term asks for another thing; the term itself, or "my discount", does not."""
    earned = section("Each year without a claim earns a year of discount.", title="Acme Car › 8. No claims discount")
    for question in ("Is there a discount for students?", "Do you pay a bonus for loyalty?"):
        assert "that is no no claims discount" in untold(question, earned.text, earned, WORDS)
    for question in ("What is the no claims discount?", "Is my discount safe after a claim?"):
        assert not untold(question, earned.text, earned, WORDS)


def test_a_product_s_price_comes_from_its_own_words_only():
    """What another document says of some cost is not the named product's price."""
    other = section("A change costs £25 a year.", product="Acme, all products", title="Acme, all products › Changes")
    own = section("Acme Gadget Plus costs £60 a year.", product="Acme Gadget Plus", title="Acme Gadget Plus › Price")
    bare = section("Gadgets are covered.", product="Acme Gadget Plus", title="Acme Gadget Plus › Cover")
    assert not asked("What does Acme Gadget Plus cost a year?", other, bare)
    assert [one.product for one in asked("What does Acme Gadget Plus cost a year?", other, own)] == ["Acme Gadget Plus"]
