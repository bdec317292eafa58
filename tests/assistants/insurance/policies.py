"""Two car products whose windscreen rules differ, as chunks: what the tests of the responder ask about."""

from footnoted.assistants.insurance import ChunkResult

PLUS, BASIC = "Harbour Car Comprehensive", "Harbour Car Third Party"

EXCESS = ChunkResult(
    content="The windscreen excess is £75 when the glass is replaced by our approved repairer. When the glass is "
    "repaired and not replaced, the windscreen excess is £25.",
    product_name=PLUS,
    document_type="Policy wording",
    source_file="car/comprehensive.md",
    section_hierarchy=["3. Windscreen", "3.2 Excess"],
    relevance_score=0.9,
)
COVER = ChunkResult(
    content="We pay to repair or replace a broken windscreen or window of your car.",
    product_name=PLUS,
    document_type="Policy wording",
    source_file="car/comprehensive.md",
    section_hierarchy=["3. Windscreen", "3.1 Cover"],
    relevance_score=0.8,
)
EXCLUDED = ChunkResult(
    content="We do not cover windows made of plastic, panoramic roofs, lights or mirrors.",
    product_name=PLUS,
    document_type="Policy wording",
    source_file="car/comprehensive.md",
    section_hierarchy=["3. Windscreen", "3.3 What is not covered"],
    relevance_score=0.6,
)
OTHER = ChunkResult(
    content="Windscreens and windows are not covered under this policy. The excess for each fire or theft claim is £300.",
    product_name=BASIC,
    document_type="Policy wording",
    source_file="car/third-party.md",
    section_hierarchy=["4. Windscreen and windows"],
    relevance_score=0.7,
)
