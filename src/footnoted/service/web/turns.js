/** Turns as the service keeps them in; turns as the page draws them out. */

import { newAnswer, settle } from "./answer.js";

const ASSISTANTS = { chat: "documents", answer: "pasted", advice: "security", insurance: "insurance" };
const BROKEN = "This answer broke off. What you see is how far it had come.";

/** A turn the page may draw, ask again, or (while its answer is open) follow. */
export function turnOf(told) {
  const answer = newAnswer();
  Object.assign(answer, { answerId: told.answer_id, streamId: told.stream_id, sources: told.sources });
  if (told.response) {
    settle(answer, { response: told.response, sources: told.sources, answerId: told.answer_id, extras: told.extras });
    answer.retracted = told.response.retracted ?? [];
    const reason = told.response.finish_reason;
    if (reason === "stopped") answer.phase = "stopped";
    if (reason === "error" && !told.response.latency_ms) Object.assign(answer, { phase: "error", error: { code: "error", message: BROKEN } });
  }
  return {
    question: told.question,
    assistant: ASSISTANTS[told.kind] ?? "documents",
    documents: told.document_ids,
    replaces: told.replaces,
    pasted: told.kind === "answer" ? told.sources.map(({ title }) => ({ title, words: null })) : [],
    rating: told.rating ? { rating: told.rating, comment: told.comment ?? "" } : null,
    answer,
  };
}

/** The first turn of those that ask the same again. */
export const rootOf = (turn) => turn.replaces ?? turn.answer.answerId;

/** Turns that ask the same, together, each group where its first was asked. */
export function grouped(turns) {
  const groups = new Map();
  for (const turn of turns) {
    const root = turn.root ?? turn;
    if (!groups.has(root)) groups.set(root, []);
    groups.get(root).push(turn);
  }
  return [...groups.values()];
}

/** Let each turn know the turn it asks again. */
export function linked(turns) {
  const byId = new Map(turns.map((turn) => [turn.answer.answerId, turn]));
  for (const turn of turns) turn.root = (turn.replaces && byId.get(turn.replaces)) || turn;
  return turns;
}
