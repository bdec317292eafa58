/** Text in; it is on the clipboard, also where the page came over plain HTTP. True when it is. */

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text) {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "heard";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before?.focus();
  return done;
}

/** Copy buttons of code blocks, wherever they are drawn. */
export function copyCode(root) {
  root.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy=code]");
    if (!button) return;
    const done = await copy(button.closest(".code").querySelector("code").textContent);
    button.lastChild.data = done ? "Copied" : "Copying failed";
    setTimeout(() => (button.lastChild.data = "Copy"), 2000);
  });
}
