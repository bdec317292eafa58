/** Markdown in; a tree of blocks out, every piece of text with its offsets in the original. Builds no HTML. */

import { parseInline } from "./inline.js";

const DEEPEST = 12;
const FENCE = /^( {0,3})(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})([ \t]|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})(?:([-*+])|(\d{1,9})([.)]))([ \t]{1,4}(?=\S)|[ \t]*$|[ \t])/;
const CELL_RULE = /^[ \t]*(:?)-+(:?)[ \t]*$/;

/**
 * Blocks of `text`; what stands inside of lines is read when it is first asked for. `atoms` are `[start, end]`
 * stretches that mean themselves; `open`: the text is still growing.
 */
export function parse(text, { atoms = [], open = false } = {}) {
  const reader = { text, atoms: new Map(atoms), open };
  const lines = [];
  let start = 0;
  while (start <= text.length) {
    let end = text.indexOf("\n", start);
    if (end < 0) end = text.length;
    lines.push({ start, end: end > start && text[end - 1] === "\r" ? end - 1 : end });
    start = end + 1;
  }
  return blocksOf(reader, lines, 0);
}

const content = (reader, line) => reader.text.slice(line.start, line.end);
const blank = (reader, line) => !content(reader, line).trim();

function blocksOf(reader, lines, depth) {
  const blocks = [];
  let i = 0;
  while (i < lines.length) {
    const line = content(reader, lines[i]);
    if (!line.trim()) {
      i += 1;
      continue;
    }
    const read =
      fence(reader, lines, i) ||
      heading(reader, lines, i) ||
      (RULE.test(line) && { block: { type: "rule" }, next: i + 1 }) ||
      (depth < DEEPEST && (quote(reader, lines, i, depth) || list(reader, lines, i, depth))) ||
      table(reader, lines, i) ||
      paragraph(reader, lines, i, depth);
    const [first, last] = [lines[i], lines[read.next - 1]];
    blocks.push(Object.assign(read.block, { start: first.start, end: last.end }));
    i = read.next;
  }
  return blocks;
}

function fence(reader, lines, i) {
  const found = FENCE.exec(content(reader, lines[i]));
  if (!found) return null;
  const [, indent, marks, info] = found;
  const rows = [];
  let next = i + 1;
  let closed = false;
  while (next < lines.length && !closed) {
    const row = content(reader, lines[next]);
    const bare = row.trim();
    closed = bare.length >= marks.length && bare === marks[0].repeat(bare.length);
    const { start, end } = lines[next];
    if (!closed) rows.push({ start: start + Math.min(indent.length, row.length - row.trimStart().length), end });
    next += 1;
  }
  const text = rows.map((row) => content(reader, row)).join("\n");
  return { block: { type: "code", language: info.trim().split(/\s/)[0], text, rows }, next };
}

function heading(reader, lines, i) {
  const line = lines[i];
  const found = HEADING.exec(content(reader, line));
  if (!found) return null;
  let [start, end] = [line.start + found[0].length, line.end];
  const text = reader.text;
  const space = (at) => text[at] === " " || text[at] === "\t";
  while (end > start && space(end - 1)) end -= 1;
  let hashes = end;
  while (hashes > start && text[hashes - 1] === "#") hashes -= 1;
  if (hashes === start || space(hashes - 1)) end = hashes;
  while (end > start && space(end - 1)) end -= 1;
  while (start < end && space(start)) start += 1;
  return { block: { type: "heading", level: found[1].length, inline: () => inline(reader, [{ start, end }]) }, next: i + 1 };
}

function quote(reader, lines, i, depth) {
  const inner = [];
  let next = i;
  while (next < lines.length) {
    const found = QUOTE.exec(content(reader, lines[next]));
    if (!found) break;
    inner.push({ start: lines[next].start + found[0].length, end: lines[next].end });
    next += 1;
  }
  return inner.length ? { block: { type: "quote", children: blocksOf(reader, inner, depth + 1) }, next } : null;
}

const kindOf = (found) => found[2] || found[4];

function list(reader, lines, i, depth) {
  const first = ITEM.exec(content(reader, lines[i]));
  if (!first) return null;
  const items = [];
  let loose = false;
  let next = i;
  while (next < lines.length) {
    const line = content(reader, lines[next]);
    const found = RULE.test(line) ? null : ITEM.exec(line);
    if (!found || kindOf(found) !== kindOf(first)) break;
    const item = itemAt(reader, lines, next, found);
    items.push(blocksOf(reader, item.lines, depth + 1));
    next = item.next;
    let ahead = next;
    while (ahead < lines.length && blank(reader, lines[ahead])) ahead += 1;
    const more = ahead < lines.length ? ITEM.exec(content(reader, lines[ahead])) : null;
    if (ahead > next && more && kindOf(more) === kindOf(first)) {
      loose = true;
      next = ahead;
    }
  }
  const block = { type: "list", ordered: Boolean(first[3]), from: Number(first[3] || 1), loose, items };
  return { block, next };
}

/** The lines of one list item without its mark and indentation, and the line after it. */
function itemAt(reader, lines, i, found) {
  const width = found[0].length;
  const inner = [{ start: Math.min(lines[i].start + width, lines[i].end), end: lines[i].end }];
  let next = i + 1;
  let gap = false;
  while (next < lines.length) {
    const row = content(reader, lines[next]);
    if (!row.trim()) {
      gap = true;
      inner.push({ start: lines[next].end, end: lines[next].end });
      next += 1;
      continue;
    }
    const indent = row.length - row.trimStart().length;
    // Models indent what belongs to "1. " by two or three spaces as often as by three.
    const inside = indent >= Math.min(width, found[1].length + 2);
    if (!inside && (gap || opensBlock(row))) break;
    inner.push({ start: lines[next].start + Math.min(indent, width), end: lines[next].end });
    gap = false;
    next += 1;
  }
  while (gap && inner.length && inner[inner.length - 1].start === inner[inner.length - 1].end) {
    inner.pop();
    next -= 1;
  }
  return { lines: inner, next };
}

const opensBlock = (row) => FENCE.test(row) || HEADING.test(row) || RULE.test(row) || QUOTE.test(row) || ITEM.test(row);

function table(reader, lines, i) {
  if (i + 1 >= lines.length || !content(reader, lines[i]).includes("|")) return null;
  const under = content(reader, lines[i + 1]);
  if (!under.includes("|") || !under.includes("-")) return null;
  const rules = cells(reader, lines[i + 1]).map((cell) => CELL_RULE.exec(content(reader, cell)));
  const head = cells(reader, lines[i]);
  if (rules.length !== head.length || rules.some((rule) => !rule)) return null;
  const aligned = rules.map(([, left, right]) => (left && right ? "center" : right ? "end" : "start"));
  const rows = [];
  let next = i + 2;
  while (next < lines.length && content(reader, lines[next]).includes("|")) {
    const line = lines[next];
    rows.push({ start: line.start, end: line.end, cells: () => cells(reader, line).slice(0, head.length).map((cell) => inline(reader, [cell])) });
    next += 1;
  }
  return { block: { type: "table", aligned, head: () => head.map((cell) => inline(reader, [cell])), rows }, next };
}

/** The stretches between the pipes of a row, without the space around them. */
function cells(reader, line) {
  const text = reader.text;
  let [start, end] = [line.start, line.end];
  const trim = (cell) => {
    while (cell.start < cell.end && /[ \t]/.test(text[cell.start])) cell.start += 1;
    while (cell.end > cell.start && /[ \t]/.test(text[cell.end - 1])) cell.end -= 1;
    return cell;
  };
  ({ start, end } = trim({ start, end }));
  if (text[start] === "|") start += 1;
  if (end > start && text[end - 1] === "|" && text[end - 2] !== "\\") end -= 1;
  const found = [];
  let begin = start;
  for (let i = start; i <= end; i += 1) {
    if (i === end || (text[i] === "|" && text[i - 1] !== "\\")) {
      found.push(trim({ start: begin, end: i }));
      begin = i + 1;
    }
  }
  return found;
}

function paragraph(reader, lines, i, depth) {
  let next = i + 1;
  while (next < lines.length) {
    const row = content(reader, lines[next]);
    if (!row.trim() || FENCE.test(row) || HEADING.test(row) || RULE.test(row)) break;
    if (depth < DEEPEST) {
      const item = ITEM.exec(row);
      if (QUOTE.test(row) || (item && row.trim().length > item[0].trim().length && (item[2] || item[3] === "1"))) break;
    }
    if (table(reader, lines, next)) break;
    next += 1;
  }
  return { block: { type: "paragraph", inline: () => inline(reader, lines.slice(i, next)) }, next };
}

/** The inline nodes of some stretches of the text, one a line. */
function inline(reader, stretches) {
  const [parts, at] = [[], []];
  stretches.forEach((stretch, n) => {
    let { start } = stretch;
    while (start < stretch.end && /[ \t]/.test(reader.text[start])) start += 1;
    if (n) {
      parts.push("\n");
      at.push(stretches[n - 1].end);
    }
    parts.push(reader.text.slice(start, stretch.end));
    for (let i = start; i < stretch.end; i += 1) at.push(i);
  });
  const open = reader.open && stretches.length > 0 && stretches[stretches.length - 1].end >= reader.text.trimEnd().length;
  return parseInline({ text: parts.join(""), at }, { atoms: reader.atoms, open });
}
