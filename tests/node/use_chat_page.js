// A page as anybody writes one with the AI SDK: useChat on our address, its text, its sources and what was cited.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";

const transport = new DefaultChatTransport({ api: "/api/v1/chat/ui", body: { footnoted: window.own } });
const drawn = {
  text: (part) => h("p", { className: "text" }, part.text),
  "source-document": (part) => h("cite", null, part.title),
  "data-citation": (part) => h("a", { href: part.data.url }, `[${part.data.number}]`),
};

function Chat() {
  const { messages, sendMessage, status, error } = useChat({ transport });
  const parts = messages.flatMap(({ id, role, parts }) => parts.map((part, at) => ({ key: `${id}${at}`, role, part })));
  return h("main", { "data-status": status },
    h("form", { onSubmit: (event) => { event.preventDefault(); sendMessage({ text: event.target.q.value }); } },
      h("input", { name: "q" }), h("button", null, "Ask")),
    ...parts.map(({ key, role, part }) => h("div", { key, className: role }, drawn[part.type]?.(part))),
    error && h("strong", null, String(error)));
}

createRoot(document.getElementById("root")).render(h(Chat));
