/** The events of one stream in, in order; the answer as it stands out: plain data that can be kept and drawn. */

import { unitsOf } from "./positions.js";

/** An answer nobody has said a word of yet. */
export function newAnswer() {
  return {
    phase: "asking", // asking · streaming · done · stopped · error
    streamId: null,
    answerId: null,
    lastId: 0,
    text: "",
    sources: [],
    citations: [],
    claims: [],
    retracted: [],
    disagreements: [],
    response: null,
    extras: {},
    error: null,
  };
}

const TELLS = {
  start(answer, data) {
    answer.phase = "streaming";
    answer.streamId = data.stream_id ?? null;
    answer.answerId = data.answer_id ?? null;
    answer.sources = data.sources ?? [];
  },
  chunk(answer, data) {
    answer.text += data.content ?? "";
  },
  citation(answer, data) {
    answer.citations.push(data);
  },
  claim(answer, data) {
    answer.claims.push(data);
  },
  retract(answer, data) {
    answer.retracted.push(data);
  },
  disagreement(answer, data) {
    answer.disagreements.push(data);
  },
  done(answer, data) {
    const { response, sources, answer_id: answerId, stream_id: _, conversation_id: __, ...extras } = data;
    settle(answer, { response, sources, answerId, extras });
  },
  error(answer, data) {
    answer.phase = data.code === "stopped" ? "stopped" : "error";
    answer.error = { code: data.code ?? "error", message: data.message ?? "The answer broke off." };
  },
};

/** Take one event in; events told before (by their number) change nothing. True when something changed. */
export function take(answer, { id, event, data }) {
  const number = Number(id);
  if (number && number <= answer.lastId) return false;
  if (number) answer.lastId = number;
  TELLS[event]?.(answer, data);
  return Object.hasOwn(TELLS, event);
}

/** The whole response replaces what was told: its text lacks what was taken back, and its offsets follow. */
export function settle(answer, { response, sources, answerId, extras }) {
  answer.phase = "done";
  answer.answerId = answerId ?? answer.answerId;
  if (sources?.length) answer.sources = sources;
  answer.extras = extras ?? {};
  if (!response) return;
  answer.response = response;
  answer.text = response.response ?? answer.text;
  answer.citations = response.citations ?? [];
  answer.claims = response.claims ?? [];
  answer.disagreements = response.disagreements ?? [];
  answer.retracted = [];
}

/** Whether more of this answer may come. */
export const growing = (answer) => answer.phase === "asking" || answer.phase === "streaming";

export const refused = (answer) => answer.response?.finish_reason === "refused";

/** What stands where in the answer's text, in UTF-16 offsets: `{citations, claims, gone}`, each with start and end. */
export function places(answer) {
  const unit = unitsOf(answer.text);
  const placed = (start, end) => ({ start: unit(start), end: unit(end) });
  const known = (each) => Number.isInteger(each.start_pos) && Number.isInteger(each.end_pos) && each.end_pos > each.start_pos;
  const citations = answer.citations.filter(known).map((each, n) => ({
    ...placed(each.start_pos, each.end_pos),
    number: each.number,
    title: spot(answer, each).title,
    index: n,
  }));
  const claims = [];
  answer.claims.forEach((each, n) => {
    if (each.kind === "claim" && each.shown !== false && known(each)) {
      claims.push({ ...placed(each.start_pos, each.end_pos), verdict: verdictOf(each), index: n });
    }
  });
  const gone = answer.retracted.map((each) => ({ ...placed(each.start, each.end), reason: each.reason ?? "" }));
  return { citations, claims, gone };
}

const VERDICTS = ["supported", "unsure", "unsupported", "contradicted", "not_checked"];
const OLDER = { partial: "unsure" }; // what answers given before 0.6 were told

/** A claim's verdict; one this page does not know passes for nothing. */
export const verdictOf = ({ verdict }) => (VERDICTS.includes(verdict) ? verdict : (OLDER[verdict] ?? "not_checked"));

/** Sentences of the model that the reader does not see in the end, with the reason. */
export const withheld = (answer) => answer.response?.withheld ?? answer.claims.filter((each) => each.shown === false);

/** Where evidence and citations lie that stand behind a stretch of the answer's text (UTF-16), each once. */
export function behind(answer, start, end) {
  const within = ({ start: from, end: until }) => from < end && until > start;
  const { citations, claims } = places(answer);
  const pointers = [
    ...claims.filter(within).flatMap(({ index }) => answer.claims[index].evidence ?? []),
    ...citations.filter(within).map(({ index }) => answer.citations[index]),
  ];
  const spots = new Map();
  for (const each of pointers) spots.set(`${each.source_index}:${each.source_start}:${each.source_end}`, { ...spot(answer, each), support: each.support });
  return [...spots.values()];
}

/** Indexes of the sentences that rest on a stretch of the source one looks at; offsets in the passage (code points). */
export function restingOn(answer, at, start, end) {
  const lead = at.documentStart === null ? null : at.documentStart - at.start;
  const touches = (pointer) => {
    const other = spot(answer, pointer);
    if (lead !== null && other.documentId === at.documentId && other.documentStart !== null) {
      return other.documentStart < end + lead && other.documentEnd > start + lead;
    }
    return other.index === at.index && other.start < end && other.end > start;
  };
  return places(answer).claims.filter((placed) => {
    const cited = places(answer).citations.filter((each) => each.start <= placed.end + 1 && each.end > placed.start);
    return [...(answer.claims[placed.index].evidence ?? []), ...cited.map(({ index }) => answer.citations[index])].some(touches);
  });
}

/** Where words of a source stand: in the passage itself, and in its document if it has one (code points). */
export function spot(answer, pointer) {
  const source = answer.sources[pointer.source_index] ?? null;
  const held = Number.isInteger(source?.document_start) && source.document_id;
  const lead = source?.lead ?? 0;
  const inside = held && pointer.source_start >= lead;
  return {
    source,
    index: pointer.source_index,
    chunkId: pointer.chunk_id ?? source?.chunk_id ?? null,
    documentId: source?.document_id ?? null,
    title: source?.title || pointer.source_title || `Source ${pointer.source_index + 1}`,
    quote: pointer.source_quote ?? pointer.quoted_text ?? "",
    start: pointer.source_start,
    end: pointer.source_end,
    documentStart: inside ? source.document_start + pointer.source_start - lead : null,
    documentEnd: inside ? source.document_start + pointer.source_end - lead : null,
  };
}

/** One entry a number: the sources an answer uses, in the order the reader meets them. */
export function footnotes(answer) {
  const notes = new Map();
  for (const citation of answer.citations) {
    if (!notes.has(citation.number)) notes.set(citation.number, { number: citation.number, citations: [] });
    notes.get(citation.number).citations.push(citation);
  }
  return [...notes.values()].sort((a, b) => a.number - b.number);
}

/** The answer and its sources as text to paste elsewhere. */
export function withCitations(answer) {
  const text = standing(answer).trim();
  const lines = footnotes(answer).flatMap(({ number, citations }) => {
    const quotes = [...new Set(citations.map((each) => each.quoted_text || each.source_quote))];
    return `[${number}] ${spot(answer, citations[0]).title}: ${quotes.map((quote) => `“${quote}”`).join(" … ")}`;
  });
  return lines.length ? `${text}\n\nSources\n${lines.join("\n")}` : text;
}

/** The text without what was taken back. */
function standing(answer) {
  const { gone } = places(answer);
  return gone.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), answer.text);
}
