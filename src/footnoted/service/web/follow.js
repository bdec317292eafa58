/** A stream, begun or to be rejoined, in; its events out, each once and in order, across lost connections. */

import { EventDecoder } from "./sse.js";
import { rejoin, WireError } from "./wire.js";

const WAITS = [0.3, 0.6, 1.2, 2.5, 5, 5, 10, 10];
const LAST = new Set(["done", "error"]);

/**
 * Tell every event of a stream to `onEvent` until its last. `response` is a stream just begun, or null to join
 * `answer.streamId` after `answer.lastId`; `answer` is what the events are taken into, so it knows both.
 * `onWaiting(seconds)` hears that the connection is lost and when it is tried again; 0 when it is back.
 */
export async function follow(answer, response, { onEvent, onWaiting = () => {}, signal }) {
  let tries = 0;
  let body = response?.body ?? null;
  for (;;) {
    const before = answer.lastId;
    let lost = null;
    try {
      body ??= (await rejoin(answer.streamId, answer.lastId, signal))?.body ?? null;
      if (!body) return; // ended, and everything of it was told
      if (tries) onWaiting(0);
      if (await read(body, onEvent, signal)) return;
    } catch (error) {
      if (error.name === "AbortError" || !passing(error)) throw error;
      lost = error;
    }
    body = null;
    if (answer.lastId > before) tries = 0;
    if (!answer.streamId || tries >= WAITS.length) throw lost ?? new WireError("The connection was lost.", { code: "lost" });
    const seconds = Math.max(WAITS[tries], Number(lost?.retryAfter) || 0);
    tries += 1;
    onWaiting(seconds);
    await pause(seconds, signal);
  }
}

/** Whether asking again may help. */
const passing = (error) => !(error instanceof WireError) || [0, 429, 502, 503, 504].includes(error.status);

/** Read one connection to its end; true when the stream said its last word. */
async function read(body, onEvent, signal) {
  const reader = body.getReader();
  const text = new TextDecoder("utf-8", { ignoreBOM: true });
  const decoder = new EventDecoder();
  const leave = () => reader.cancel().catch(() => {});
  signal?.addEventListener("abort", leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      const events = done ? decoder.flush() : decoder.decode(text.decode(value, { stream: true }));
      for (const { id, event, data } of events) {
        onEvent({ id, event, data: JSON.parse(data) });
        if (LAST.has(event)) return true;
      }
      if (done) return false;
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    leave();
  }
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("left", "AbortError"));
    });
    // Coming back online is a reason to try at once.
    addEventListener("online", resolve, { once: true });
  });
}
