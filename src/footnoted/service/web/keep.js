/** What this browser remembers: which conversation a tab shows, and the reader's choices. Words are the service's to keep. */

/** A conversation nobody has asked in yet; the service hears of it with its first question. */
export function newConversation() {
  const random = crypto.getRandomValues(new Uint32Array(4));
  return { id: `c-${[...random].map((n) => n.toString(36)).join("")}`, title: "", turns: [] };
}

/** The conversation in the page's address, so that a reload, a bookmark and the browser's own back come to it. */
export const current = {
  get: () => /^#([A-Za-z0-9._:-]{1,64})$/.exec(location.hash)?.[1] ?? null,
  /** What this tab showed last, for whoever comes back to the page's bare address. */
  last: () => current.get() ?? sessionStorage.getItem("footnoted.current"),
  set(id) {
    if (id) sessionStorage.setItem("footnoted.current", id);
    else sessionStorage.removeItem("footnoted.current");
    if (current.get() !== id) history.pushState(null, "", id ? `#${id}` : location.pathname);
  },
};

/** A choice of the reader's, such as the theme. */
export const choice = {
  get(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`footnoted.choice.${name}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`footnoted.choice.${name}`, JSON.stringify(value));
    } catch {
      // A browser that keeps nothing still shows the page.
    }
  },
};

/** What versions before 0.6 kept of conversations in this browser is the service's now, and does not stay here. */
export function forgetOld() {
  for (const name of Object.keys(localStorage)) if (/^footnoted\.conversations?($|\.)/.test(name)) localStorage.removeItem(name);
}
