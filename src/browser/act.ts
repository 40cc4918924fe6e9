/** `act.js`: server actions called from browser code. Wire format: contract section 5. */
import { HEADERS, PATHS, type ActionReply } from "../shared/wire.ts";
import { pageState } from "./core.ts";

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

/** Calls an action by its name; the request goes out before this returns. */
export const post = (name: string, args: unknown[]): Promise<Response> =>
  send(`${PATHS.action}/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", [HEADERS.csrf]: pageState().csrf_token },
    body: JSON.stringify({ args }),
  }).catch(lost);

/** The value of an envelope. */
export const landed = async (response: Response): Promise<unknown> => {
  const reply = (await response.json().catch(() => {})) as ActionReply | undefined;
  if (!reply?.ok) throw new ActionError(reply?.error ?? response.statusText, response.status, reply?.issues);
  if (reply.redirect) location.assign(reply.redirect);
  return reply.value;
};
