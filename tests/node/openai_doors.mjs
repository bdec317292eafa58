// The Vercel AI SDK at a base URL: generateText and streamText by both of its OpenAI APIs, an object, a second turn.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, Output, streamText } from "ai";
import { z } from "zod";

const { base, own } = JSON.parse(process.argv[2]);
const openai = createOpenAI({
  baseURL: base,
  apiKey: "none",
  // What footnoted takes besides goes into the body, as any extra of a compatible server does.
  fetch: (url, options) => fetch(url, { ...options, body: JSON.stringify({ ...JSON.parse(options.body), footnoted: own }) }),
});
const prompt = "What is the windscreen excess?";
const schema = z.object({ pounds: z.number(), what: z.string() });
const told = (text, finish, sources) => ({ text, finish, sources: sources.map(({ url, title }) => ({ url, title })) });

const done = [];
for (const api of ["chat", "responses"]) {
  const model = openai[api]("footnoted");
  const whole = await generateText({ model, prompt });
  const stream = streamText({ model, prompt, onError: ({ error }) => { throw error; } });
  const streamed = told(await stream.text, await stream.finishReason, await stream.sources);
  const object = await generateText({ model, prompt, output: Output.object({ schema }) });
  const messages = [{ role: "user", content: prompt }, ...whole.response.messages, { role: "user", content: prompt }];
  const again = await generateText({ model, messages });
  done.push({ api, whole: told(whole.text, whole.finishReason, whole.sources), streamed, object: object.output, again: again.text });
}
console.log(JSON.stringify(done));
