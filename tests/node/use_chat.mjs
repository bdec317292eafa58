// What useChat stands on: the AI SDK's own transport and its own reader of UI message streams, over two turns.
import { DefaultChatTransport, readUIMessageStream } from "ai";

const { api, own, questions } = JSON.parse(process.argv[2]);
const transport = new DefaultChatTransport({ api, body: { footnoted: own } });
const messages = [];
const errors = [];
for (const text of questions) {
  messages.push({ id: `u${messages.length}`, role: "user", parts: [{ type: "text", text }] });
  const stream = await transport.sendMessages({ chatId: "c-ui", messages, trigger: "submit-message", abortSignal: undefined });
  let last;
  for await (const message of readUIMessageStream({ stream, onError: (error) => errors.push(String(error)) })) last = message;
  if (last) messages.push(last);
}
console.log(JSON.stringify({ messages, errors }));
