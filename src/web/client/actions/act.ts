/** `act.js`: server actions called from browser code. Wire format: contract section 5. */
import { CSRF_FIELD, HEADERS, PATHS, type ActionReply } from "../../../platform/shared/wire.ts";
import { pageState } from "../runtime/core.ts";

type Issues = { path: (string | number)[]; message: string }[];

/** What a call of an action rejects with when the server refuses it, or can't be reached (`status` 0). */
export class ActionError extends Error {
  readonly status: number;
  /** Which arguments are wrong and why; empty unless the server validated. */
  readonly issues: Issues;

  constructor(message: string, status: number, issues: Issues = []) {
    super(message);
    this.name = "ActionError";
    this.status = status;
    this.issues = issues;
  }
}

/** The stub of a server action. */
export const act =
  (name: string) =>
  async (...args: unknown[]): Promise<unknown> =>
    landed(await post(name, args));

let send = fetch;

/** Has requests go out another way: while a part begins a call. @returns the way until now */
export const sendBy = (way: typeof fetch): typeof fetch => {
  const before = send;
  send = way;
  return before;
};

/** The server can't be reached, or no more. */
export const lost = (error: Error): never => {
  throw new ActionError(error.message, 0);
};

/** A call that signs in or out voids the token of the page, and brings that of the new session. */
const withToken = (response: Response): Response => {
  const token = response.headers.get(HEADERS.csrf);
  if (token) {
    pageState().csrf_token = token;
    for (const field of document.getElementsByName(CSRF_FIELD)) (field as HTMLInputElement).value = token;
  }
  return response;
};

/** Calls an action by its name; the request goes out before this returns. */
export const post = (name: string, args: unknown[]): Promise<Response> =>
  send(`${PATHS.action}/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", [HEADERS.csrf]: pageState().csrf_token },
    body: JSON.stringify({ args }),
  }).then(withToken, lost);

/** The value of an envelope. */
export const landed = async (response: Response): Promise<unknown> => {
  const reply = (await response.json().catch(() => {})) as ActionReply | undefined;
  if (!reply?.ok) throw new ActionError(reply?.error ?? response.statusText, response.status, reply?.issues);
  if (reply.redirect) location.assign(reply.redirect);
  return reply.value;
};
