/** A few words in; they are seen for some seconds, and read aloud. */

const SEEN = 5000;
let timer = 0;

export function toast(words) {
  const node = document.getElementById("toast");
  node.textContent = words;
  node.classList.add("seen");
  clearTimeout(timer);
  timer = setTimeout(() => node.classList.remove("seen"), SEEN);
}
