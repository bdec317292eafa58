"""deepeval's and ragas' metrics on one answer, of which half stands."""

import asyncio
import json
import sys

from deepeval.test_case import LLMTestCase
from ragas.dataset_schema import SingleTurnSample

from footnoted.integrations.deepeval import GroundingMetric
from footnoted.integrations.ragas import Grounding

given = json.loads(sys.argv[1])
metric = GroundingMetric(threshold=0.6)
case = LLMTestCase(input="?", actual_output=given["said"], retrieval_context=[given["source"]])
sample = SingleTurnSample(user_input="?", response=given["said"], retrieved_contexts=[given["source"]])
deepeval = {"score": metric.measure(case), "passes": metric.is_successful(), "reason": metric.reason}
ragas = asyncio.run(Grounding().single_turn_ascore(sample))
print("\n" + json.dumps({"deepeval": deepeval, "ragas": ragas}))
