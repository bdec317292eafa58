/** A growing answer in; its whole sentences, one by one, out to those who listen. */

const region = () => document.getElementById("announcer");
const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter(undefined, { granularity: "sentence" }) : null;
const MOST_KEPT = 60;

/** Say a sentence politely: after what is being said now. */
export function say(text) {
  const words = text.trim();
  if (!words) return;
  const line = document.createElement("p");
  line.dir = "auto";
  line.textContent = words;
  region().append(line);
  while (region().childElementCount > MOST_KEPT) region().firstElementChild.remove();
}

/** The answer's text as it is read aloud: no markers, no marks of Markdown. */
function spoken(text, citations) {
  const bare = citations.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
  return bare.replace(/^[ \t]*(?:#{1,6}[ \t]|[-*+][ \t]|>[ \t]?)/gm, "").replace(/[*_`|]+/g, " ");
}

/** Says each sentence of one answer once, when it is whole. */
export class ReadAloud {
  #said = 0;

  /** What was there before this page looked at it was read already. */
  constructor(text, citations) {
    this.#said = Math.max(0, sentences(spoken(text, citations)).length - 1);
  }

  /** `citations` are placed in the text, in UTF-16 offsets. */
  tell(text, citations, { ended }) {
    const all = sentences(spoken(text, citations));
    const whole = ended ? all.length : all.length - 1;
    if (whole > this.#said) say(all.slice(this.#said, whole).join(" "));
    this.#said = Math.max(this.#said, whole);
  }
}

function sentences(text) {
  const cut = segmenter ? [...segmenter.segment(text)].map(({ segment }) => segment) : text.split(/(?<=[.!?。！？\n])\s+/);
  return cut.map((each) => each.trim()).filter(Boolean);
}
