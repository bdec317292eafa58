"""NeMo Guardrails with our output rail, before a model on loopback: what its user gets, by flow and by what was said."""

import asyncio
import json
import os
import sys

from nemoguardrails import LLMRails, RailsConfig

from footnoted.integrations.nemo import FLOWS, footnoted_grounding

given = json.loads(sys.argv[1])
os.environ["OPENAI_API_KEY"] = "k"
YAML = """
models:
  - type: main
    engine: openai
    model: m
    parameters: {{base_url: "{url}"}}
rails:
  output:
    flows: ["{flow}"]
"""


async def said(flow, context):
    config = RailsConfig.from_content(colang_content=FLOWS, yaml_content=YAML.format(url=given["url"], flow=flow))
    rails = LLMRails(config)
    rails.register_action(footnoted_grounding)
    messages = [{"role": "context", "content": context}, {"role": "user", "content": given["asked"]}]
    return (await rails.generate_async(messages=messages))["content"]


async def main():
    found = {}
    for flow in given["flows"]:
        for name, context in given["contexts"].items():
            found[f"{flow}: {name}"] = await said(flow, context)
    print("\n" + json.dumps(found))


asyncio.run(main())
