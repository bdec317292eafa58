// The Vercel AI SDK through the proxy, a model that says a sentence and calls a tool: OpenAI's two APIs and Anthropic's.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, streamText, tool } from "ai";

const given = JSON.parse(process.argv[2]);
const openai = createOpenAI({ baseURL: given.url, apiKey: "k" });
const anthropic = createAnthropic({ baseURL: given.url, apiKey: "k" });
const inputSchema = jsonSchema({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] });
const tools = { look_up: tool({ description: "Look a number up.", inputSchema }) };
const told = (text, finish, sources, calls) => ({
  text, finish, sources: sources.length, calls: calls.map(({ toolName, input }) => [toolName, input]),
});

const done = {};
for (const [name, model] of [["chat", openai.chat("m")], ["responses", openai.responses("m")], ["messages", anthropic("m")]]) {
  const asked = { model, prompt: given.asked, tools };
  const whole = await generateText(asked);
  const stream = streamText({ ...asked, onError: ({ error }) => { throw error; } });
  done[name] = {
    whole: told(whole.text, whole.finishReason, whole.sources, whole.toolCalls),
    streamed: told(await stream.text, await stream.finishReason, await stream.sources, await stream.toolCalls),
  };
}
console.log(JSON.stringify(done));
