/** `act.js`: server actions called from browser code. Wire format: docs/reference/http.md section 5. */
import { CSRF_FIELD, HEADERS, PATHS, type ActionReply } from "../../../platform/shared/wire.ts";
import { pageState } from "../runtime/core.ts";

type Issues = { path: (string | number)[]; message: string }[];

/** A call of an action rejects with this error when the server rejects it, or when the server can't be reached (`status` 0). */
export class ActionError extends Error {
  readonly status: number;
  /** The invalid arguments and the reasons; empty unless validation failed. */
  readonly issues: Issues;

  constructor(message: string, status: number, issues: Issues = []) {
    super(message);
    this.name = "ActionError";
    this.status = status;
    this.issues = issues;
  }
}

/** The client stub of a server action. */
export const act =
  (name: string) =>
  async (...args: unknown[]): Promise<unknown> =>
    landed(await post(name, args));

let send = fetch;

/** Replaces the function that sends requests, for the duration of one call. @returns the previous function */
export const sendBy = (way: typeof fetch): typeof fetch => {
  const before = send;
  send = way;
  return before;
};

/** Rejects with status 0: the server can't be reached, or the connection was lost. */
export const lost = (error: Error): never => {
  throw new ActionError(error.message, 0);
};

/** Stores the new CSRF token: an action that signs in or out starts a new session and so invalidates the page's token. */
const withToken = (response: Response): Response => {
  const token = response.headers.get(HEADERS.csrf);
  if (token) {
    pageState().csrf_token = token;
    for (const field of document.getElementsByName(CSRF_FIELD)) (field as HTMLInputElement).value = token;
  }
  return response;
};

/** Calls an action by name. The request is sent before this returns. */
export const post = (name: string, args: unknown[]): Promise<Response> =>
  send(`${PATHS.action}/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", [HEADERS.csrf]: pageState().csrf_token },
    body: JSON.stringify({ args }),
  }).then(withToken, lost);

/** Returns the value of an envelope, or throws its error. */
export const landed = async (response: Response): Promise<unknown> => {
  const reply = (await response.json().catch(() => {})) as ActionReply | undefined;
  if (!reply?.ok) throw new ActionError(reply?.error ?? response.statusText, response.status, reply?.issues);
  if (reply.redirect) location.assign(reply.redirect);
  return reply.value;
};
