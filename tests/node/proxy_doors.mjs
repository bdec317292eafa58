// The Vercel AI SDK through the proxy: OpenAI's two APIs and Anthropic's Messages, whole and streamed.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";

const given = JSON.parse(process.argv[2]);
const openai = createOpenAI({ baseURL: given.openai, apiKey: "k" });
const anthropic = createAnthropic({ baseURL: given.anthropic, apiKey: "k" });
const told = (text, finish, sources) => ({ text, finish, sources: sources.map(({ url, title }) => ({ url, title })) });

const done = [];
for (const [name, model] of [["chat", openai.chat("m")], ["responses", openai.responses("m")], ["messages", anthropic("m")]]) {
  const asked = { model, prompt: given.asked };
  const whole = await generateText(asked);
  const stream = streamText({ ...asked, onError: ({ error }) => { throw error; } });
  const streamed = told(await stream.text, await stream.finishReason, await stream.sources);
  done.push({ name, whole: told(whole.text, whole.finishReason, whole.sources), streamed });
}
console.log(JSON.stringify(done));
