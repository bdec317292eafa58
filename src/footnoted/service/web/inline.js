/** The characters of a paragraph, each with its offset in the answer, in; a tree of inline nodes out. */

const PUNCTUATION = /[!-/:-@[-`{-~\p{P}\p{S}]/u;
const SPACE = /\s/;
const URL_AT = /https?:\/\/[^\s<>"'`\\]+/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const BREAK = /<br ?\/?>/iy;
const ENTITY = /&(?:(amp)|(lt)|(gt)|(quot)|(apos|#39|#x27)|(nbsp));/y;
const ENTITIES = ["&", "<", ">", '"', "'", "\u00a0"];
const ESCAPED = /[!-/:-@[-`{-~]/;
const MOST_OPEN = 32; // delimiters that may wait for their partner at once
const LONGEST_URL = 2000;

/** The address if a click on it can only open a page or a mail; else null. */
export function safeUrl(address) {
  // Browsers drop control characters and white space inside schemes, so nothing that has any is trusted.
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]/.test(address)) return null;
  if (!/^(https?:\/\/|mailto:)/i.test(address)) return null;
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/**
 * Nodes of `{text, at}`: `text` a string, `at[i]` the offset of its character i in the answer.
 * `atoms` (start → end) are stretches that mean themselves, such as citation markers. `open`: more may come,
 * so that what is strong and not closed yet counts as strong.
 */
export function parseInline({ text, at }, { atoms = new Map(), open = false, inLink = false } = {}) {
  const items = scan(text, at, atoms, inLink);
  return nest(items, open);
}

function scan(text, at, atoms, inLink) {
  const items = [];
  const partners = inLink ? new Map() : brackets(text, at, atoms);
  const ticks = backticks(text);
  let plain = 0; // where the plain text not yet told begins
  let i = 0;
  const tell = (until) => {
    if (until > plain) pushText(items, text, at, plain, until);
  };
  const place = (node, until) => {
    tell(i);
    if (node) items.push(node);
    i = plain = until;
  };
  while (i < text.length) {
    const character = text[i];
    const atom = atoms.get(at[i]);
    if (atom !== undefined && atom > at[i]) {
      let until = i + 1;
      while (until < text.length && at[until] < atom) until += 1;
      place(leaf(text.slice(i, until), at[i], atom), until);
    } else if (character === "\\" && i + 1 < text.length && (ESCAPED.test(text[i + 1]) || text[i + 1] === "\n")) {
      place(text[i + 1] === "\n" ? { type: "break" } : leaf(text[i + 1], at[i], at[i + 1] + 1), i + 2);
    } else if (character === "`") {
      const run = runAt(text, i);
      const close = ticks.after(run, i + run);
      if (close < 0) i += run;
      else place(codeSpan(text, at, i + run, close), close + run);
    } else if (character === "<") {
      const link = match(AUTOLINK, text, i);
      const href = link && !inLink ? safeUrl(link[1]) : null;
      const line = match(BREAK, text, i);
      if (href) place(linkTo(href, [leaf(link[1], at[i + 1], at[i] + link[0].length - 1)]), i + link[0].length);
      else if (line) place({ type: "break" }, i + line[0].length);
      else i += 1;
    } else if (character === "&") {
      const entity = match(ENTITY, text, i);
      if (entity) {
        const known = ENTITIES[entity.slice(1).findIndex(Boolean)];
        place(leaf(known, at[i], at[i] + entity[0].length), i + entity[0].length);
      } else i += 1;
    } else if (character === "[" && partners.has(i)) {
      const link = linkAt(text, at, atoms, i, partners.get(i));
      const image = link && i > 0 && text[i - 1] === "!" && i - 1 >= plain;
      if (image) i -= 1; // a picture is never fetched: it becomes a link with its description
      if (link) place(link.node, link.end);
      else i += 1;
    } else if (character === "h" && !inLink && (i === 0 || !/[\p{L}\p{N}_]/u.test(text[i - 1]))) {
      const link = bareLink(text, at, i);
      if (link) place(link.node, link.end);
      else i += 1;
    } else if (character === "*" || character === "_" || character === "~") {
      const run = runAt(text, i);
      const item = delimiter(text, at, i, run);
      if (item) place(item, i + run);
      else i += run;
    } else if (character === "\n") {
      const hard = i >= 2 && text[i - 1] === " " && text[i - 2] === " ";
      if (hard) place({ type: "break" }, i + 1);
      else i += 1;
    } else i += 1;
  }
  tell(text.length);
  return items;
}

const leaf = (text, start, end) => ({ type: "text", text, start, end });
const linkTo = (href, children) => ({ type: "link", href, children });

function match(pattern, text, i) {
  pattern.lastIndex = i;
  return pattern.exec(text);
}

function runAt(text, i) {
  let run = 1;
  while (text[i + run] === text[i]) run += 1;
  return run;
}

/** Text leaves, cut where the answer's own offsets jump (a quote's mark, a list's indentation). */
function pushText(items, text, at, from, until) {
  let begin = from;
  for (let i = from + 1; i <= until; i += 1) {
    if (i === until || at[i] !== at[i - 1] + 1) {
      items.push(leaf(text.slice(begin, i), at[begin], at[i - 1] + 1));
      begin = i;
    }
  }
}

/** Where runs of backticks stand, so that a closing one is found without reading the text again. */
function backticks(text) {
  const places = new Map();
  for (const found of text.matchAll(/`+/g)) {
    const run = found[0].length;
    if (!places.has(run)) places.set(run, []);
    places.get(run).push(found.index);
  }
  const next = new Map();
  return {
    after(run, from) {
      const starts = places.get(run) || [];
      let n = next.get(run) || 0;
      while (n < starts.length && starts[n] < from) n += 1;
      next.set(run, n);
      return n < starts.length ? starts[n] : -1;
    },
  };
}

function codeSpan(text, at, from, until) {
  let [begin, end] = [from, until];
  const inner = text.slice(from, until);
  if (inner.length > 2 && inner.startsWith(" ") && inner.endsWith(" ") && inner.trim()) {
    begin += 1;
    end -= 1;
  }
  const children = [];
  pushText(children, text, at, begin, end);
  return { type: "code", children };
}

/** `[` → its `]`, for every pair, in one pass. */
function brackets(text, at, atoms) {
  const partners = new Map();
  const open = [];
  for (let i = 0; i < text.length; i += 1) {
    const atom = atoms.get(at[i]);
    if (atom !== undefined && atom > at[i]) {
      while (i + 1 < text.length && at[i + 1] < atom) i += 1;
    } else if (text[i] === "\\") i += 1;
    else if (text[i] === "[") open.push(i);
    else if (text[i] === "]" && open.length) partners.set(open.pop(), i);
  }
  return partners;
}

function linkAt(text, at, atoms, from, close) {
  if (text[close + 1] !== "(") return null;
  let depth = 1;
  let i = close + 2;
  const limit = Math.min(text.length, i + LONGEST_URL);
  while (i < limit && depth) {
    const character = text[i];
    if (character === "\\") i += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "\n") return null;
    i += 1;
  }
  if (depth) return null;
  const target = text.slice(close + 2, i - 1).trim();
  const [, wrapped, bare] = /^(?:<([^<>]*)>|(\S*))(?:\s+(?:"[^"]*"|'[^']*'))?$/.exec(target) || [];
  const href = safeUrl(wrapped ?? bare ?? "");
  if (!href) return null;
  const label = { text: text.slice(from + 1, close), at: at.slice(from + 1, close) };
  const children = parseInline(label, { atoms, inLink: true });
  return { node: linkTo(href, children.length ? children : [leaf(href, at[from], at[i - 1] + 1)]), end: i };
}

function bareLink(text, at, i) {
  const found = match(URL_AT, text, i);
  if (!found) return null;
  let address = found[0].slice(0, LONGEST_URL).replace(/[*_~]+$/, "");
  let trimmed = address.replace(/[.,;:!?]+$/, "");
  while (/[)\]]$/.test(trimmed) && trimmed.split(/[([]/).length < trimmed.split(/[)\]]/).length) {
    trimmed = trimmed.slice(0, -1).replace(/[.,;:!?]+$/, "");
  }
  address = trimmed;
  const href = safeUrl(address);
  if (!href || at[i + address.length - 1] !== at[i] + address.length - 1) return null;
  return { node: linkTo(href, [leaf(address, at[i], at[i] + address.length)]), end: i + address.length };
}

/** A run of `*`, `_` or `~~` that may open or close emphasis; null where it is just characters. */
function delimiter(text, at, i, run) {
  const mark = text[i];
  if (mark === "~" && run !== 2) return null;
  const before = i ? text[i - 1] : " ";
  const after = i + run < text.length ? text[i + run] : " ";
  const [spaceBefore, spaceAfter] = [SPACE.test(before), SPACE.test(after)];
  const [markBefore, markAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
  // Text without spaces (Thai, Chinese) has no room for the usual rule about punctuation: a pair of stars is enough.
  const bold = mark === "*" && run >= 2;
  const left = !spaceAfter && (bold || !markAfter || spaceBefore || markBefore);
  const right = !spaceBefore && (bold || !markBefore || spaceAfter || markAfter);
  const opens = left && (mark !== "_" || !right || markBefore);
  const closes = right && (mark !== "_" || !left || markAfter);
  if (!opens && !closes) return null;
  return { type: "delimiter", mark, run, opens, closes, start: at[i], end: at[i] + run };
}

/** Delimiters find their partners; those that have none become text again. */
function nest(items, open) {
  const root = { children: [] };
  const stack = [root];
  const top = () => stack[stack.length - 1];
  const unfold = (frame) => {
    top().children.push(leaf(frame.mark.repeat(frame.left), frame.start, frame.start + frame.left), ...frame.children);
  };
  for (const item of items) {
    if (item.type !== "delimiter") {
      top().children.push(item);
      continue;
    }
    let left = item.run;
    while (item.closes && left) {
      const partner = stack.findLastIndex((frame, n) => n > 0 && frame.mark === item.mark);
      if (partner < 0) break;
      while (stack.length - 1 > partner) unfold(stack.pop());
      const frame = top();
      const used = Math.min(frame.left, left, 2);
      const type = item.mark === "~" ? "struck" : used === 2 ? "strong" : "emphasis";
      const node = { type, children: frame.children };
      frame.left -= used;
      left -= used;
      if (frame.left) frame.children = [node];
      else {
        stack.pop();
        top().children.push(node);
      }
    }
    if (!left) continue;
    if (item.opens && stack.length <= MOST_OPEN) {
      stack.push({ mark: item.mark, left, start: item.end - left, children: [] });
    } else top().children.push(leaf(item.mark.repeat(left), item.end - left, item.end));
  }
  while (stack.length > 1) {
    const frame = stack.pop();
    if (open && frame.mark === "*" && frame.left === 2) top().children.push({ type: "strong", children: frame.children });
    else unfold(frame);
  }
  return root.children;
}
