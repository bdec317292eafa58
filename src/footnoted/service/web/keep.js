/** Conversations in; what this browser keeps of them out, newest first, within what a browser lets a page keep. */

const LIST = "footnoted.conversations";
const ONE = "footnoted.conversation.";
const MOST = 100;
const LONGEST_PASTED = 200_000;

/** A conversation nobody has asked in yet. */
export function newConversation(assistant) {
  const random = crypto.getRandomValues(new Uint32Array(3));
  const id = `c-${[...random].map((n) => n.toString(36)).join("")}`;
  return { id, title: "", at: Date.now(), assistant, turns: [] };
}

function read(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** `{id, title, at}` of every conversation kept, newest first. */
export function list() {
  const kept = read(LIST, []);
  return Array.isArray(kept) ? kept.filter((each) => typeof each?.id === "string") : [];
}

export const load = (id) => read(ONE + id, null);

/** Keep a conversation; the oldest make room. False when it could not be kept. */
export function save(conversation) {
  if (!conversation.turns.length) return true;
  const { id, title, at } = conversation;
  let others = list().filter((each) => each.id !== id);
  for (const each of others.slice(MOST - 1)) localStorage.removeItem(ONE + each.id);
  others = others.slice(0, MOST - 1);
  const text = JSON.stringify(conversation, lean);
  for (;;) {
    try {
      localStorage.setItem(ONE + id, text);
      localStorage.setItem(LIST, JSON.stringify([{ id, title, at }, ...others].sort((a, b) => b.at - a.at)));
      return true;
    } catch {
      const oldest = others.pop();
      if (!oldest) return false;
      localStorage.removeItem(ONE + oldest.id);
    }
  }
}

/** Long pasted sources are not kept; their quotes are. */
function lean(name, value) {
  return name === "words" && typeof value === "string" && value.length > LONGEST_PASTED ? null : value;
}

export function forget(id) {
  localStorage.removeItem(ONE + id);
  localStorage.setItem(LIST, JSON.stringify(list().filter((each) => each.id !== id)));
}

export function forgetAll() {
  for (const { id } of list()) localStorage.removeItem(ONE + id);
  localStorage.removeItem(LIST);
}

/** The conversation this tab shows, so that a refresh comes back to it. */
export const current = {
  get: () => sessionStorage.getItem("footnoted.current"),
  set: (id) => (id ? sessionStorage.setItem("footnoted.current", id) : sessionStorage.removeItem("footnoted.current")),
};

/** A choice of the reader's, such as the theme. */
export const choice = {
  get: (name, otherwise) => read(`footnoted.choice.${name}`, otherwise),
  set: (name, value) => {
    try {
      localStorage.setItem(`footnoted.choice.${name}`, JSON.stringify(value));
    } catch {
      // A browser that keeps nothing still shows the page.
    }
  },
};
