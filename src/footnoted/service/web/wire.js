/** What the page asks of the service, in; its JSON, or an error in words a person can use, out. */

const KEY = "footnoted.key";

/** An answer of the service that is no success: `code` and `status` to act on, `message` to show. */
export class WireError extends Error {
  constructor(message, { code = "error", status = 0, retryAfter = null } = {}) {
    super(message);
    Object.assign(this, { code, status, retryAfter });
  }
}

const UNREACHABLE = "The service cannot be reached. Is it running, and are you online?";

/** The key of this browser; kept for this tab only unless the reader asks for more. */
export const key = {
  get: () => sessionStorage.getItem(KEY) || localStorage.getItem(KEY) || "",
  set(value, { remember = false } = {}) {
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
    if (value) (remember ? localStorage : sessionStorage).setItem(KEY, value);
  },
};

const listeners = [];

/** Hear when the service wants a key. */
export const onUnauthorized = (listener) => listeners.push(listener);

function headers(more = {}) {
  const held = key.get();
  return held ? { ...more, Authorization: `Bearer ${held}` } : more;
}

/** What an error response says. */
async function failure(response) {
  let said = null;
  try {
    said = (await response.json()).error;
  } catch {
    // Something in between (a proxy) answered in its own words; they are not for a reader.
  }
  return told(response.status, said, response.headers.get("Retry-After"));
}

function told(status, said, retryAfter) {
  if (status === 401) listeners.forEach((listener) => listener());
  const message = said?.message || `The service answered with status ${status}. Try again in a moment.`;
  return new WireError(message, { code: said?.code || `status_${status}`, status, retryAfter });
}

async function send(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: headers(options.headers), cache: "no-store", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new WireError(UNREACHABLE, { code: "unreachable" });
  }
  if (!response.ok) throw await failure(response);
  return response;
}

const json = async (path, options) => (await send(path, options)).json();
const post = (body) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});
const id = encodeURIComponent;

export const session = () => json("/api/v1/session");

/** The assistants the service offers; none but the documents' own where it does not say. */
export async function assistants() {
  try {
    return (await json("/api/v1/assistants")).assistants ?? [];
  } catch (error) {
    if (error.status === 404 || error.status === 405) return [];
    throw error;
  }
}

/** Begin a stream; the response whose body tells its events. */
export const begin = (path, body, signal) => send(path, { ...post(body), signal });

/** Go on with a stream after the event `lastId`; null when there is nothing more. */
export async function rejoin(streamId, lastId, signal) {
  const more = lastId ? { "Last-Event-ID": String(lastId) } : {};
  const response = await send(`/api/v1/chat/stream/${id(streamId)}`, { headers: more, signal });
  return response.status === 204 ? null : response;
}

export const stop = (streamId) => json(`/api/v1/chat/stream/${id(streamId)}`, { method: "DELETE" });
export const savedAnswer = (answerId) => json(`/api/v1/answers/${id(answerId)}`);
export const overview = () => json("/api/v1/overview");
export const documentText = (documentId) => json(`/api/v1/documents/${id(documentId)}/text`);
export const addUrl = (url, signal) => json("/api/v1/documents/url", { ...post({ url }), signal });
export const places = (documentId, start, end) => json(`/api/v1/documents/${id(documentId)}/places?start=${start}&end=${end}`);
export const passage = (chunkId) => json(`/api/v1/sources/${id(chunkId)}`);
export const citedSource = (chunkId) => json(`/api/v1/advice/sources/${id(chunkId)}`);
export const remove = (documentId) => send(`/api/v1/documents/${id(documentId)}`, { method: "DELETE" });
export const findings = () => json("/api/v1/findings?per_page=1");
export const forgetFindings = () => send("/api/v1/findings", { method: "DELETE" });
const talk = (conversationId) => `/api/v1/conversations/${id(conversationId)}`;
export const conversations = (query = "", after = null) => json(`/api/v1/conversations?query=${id(query)}${after ? `&after=${id(after)}` : ""}`);
export const conversation = (conversationId) => json(talk(conversationId));
export const rename = (conversationId, title) => json(talk(conversationId), { ...post({ title }), method: "PATCH" });
export const forget = (conversationId) => send(talk(conversationId), { method: "DELETE" });
export const forgetAll = () => send("/api/v1/conversations", { method: "DELETE" });
export const share = (conversationId) => json(`${talk(conversationId)}/share`, { method: "PUT" });
export const withdraw = (conversationId) => send(`${talk(conversationId)}/share`, { method: "DELETE" });
export const exported = async (conversationId, format) => (await send(`${talk(conversationId)}/export?format=${format}`)).blob();
export const sentSource = (answerId, index) => json(`/api/v1/answers/${id(answerId)}/sources/${index}`);
export const feedback = (body) => json("/api/v1/feedback", post(body));
export const verify = (body) => json("/api/v1/verify", post(body));

/* What only an administrator is told. */

const office = "/api/v1/admin";
export const keys = async () => (await json(`${office}/keys`)).keys;
export const makeKey = (body) => json(`${office}/keys`, post(body));
export const revokeKey = (keyId) => json(`${office}/keys/${id(keyId)}`, { method: "DELETE" });
export const tenants = () => json(`${office}/tenants`);
export const tenantUsage = (tenant) => json(`${office}/tenants/${id(tenant)}/usage`);
export const thoughts = (wanted) => json(`${office}/feedback?${new URLSearchParams(wanted)}`);

/** A page of a document, drawn: `{picture, matrix}`; the matrix leads from its points to shares of its width and height. */
export async function drawnPage(documentId, page, width) {
  const response = await send(`/api/v1/documents/${id(documentId)}/pages/${page}?width=${width}`);
  const matrix = response.headers.get("Page-Matrix").split(" ").map(Number);
  return { picture: await createImageBitmap(await response.blob()), matrix };
}

/** Every document of the tenant, page by page. */
export async function documents() {
  const all = [];
  let after = null;
  do {
    const page = await json(`/api/v1/documents?limit=100${after ? `&after=${id(after)}` : ""}`);
    all.push(...page.documents);
    after = page.next;
  } while (after && all.length < 5000);
  return all;
}

/** Send one file to `path`; `onProgress` hears the share sent, 0 to 1. Only XMLHttpRequest tells that. */
export function upload(file, { onProgress, signal, path = "/api/v1/documents" }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file);
    request.open("POST", path);
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response);
      else reject(told(request.status, request.response?.error, request.getResponseHeader("Retry-After")));
    };
    request.onerror = () => reject(new WireError(UNREACHABLE, { code: "unreachable" }));
    request.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}
