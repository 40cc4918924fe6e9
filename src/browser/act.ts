/** `act.js`: server actions called from browser code. Wire format: contract section 5. */
import { HEADERS, PATHS, type ActionReply } from "../shared/wire.ts";
import { pageState } from "./core.ts";

type Issues = { path: (string | number)[]; message: string }[];

/** What a call of an action rejects with when the server refuses it, or can't be reached (`status` 0). */
export class ActionError extends Error {
  readonly status: number;
  /** Which arguments are wrong and why; empty unless the server validated. */
  readonly issues: Issues;

  constructor(message: string, status: number, issues: Issues) {
    super(message);
    this.name = "ActionError";
    this.status = status;
    this.issues = issues;
  }
}

/** The stub of a server action. */
export function act(name: string): (...args: unknown[]) => Promise<unknown> {
  return async (...args) => {
    const response = await post(`${PATHS.action}/${name}`, JSON.stringify({ args }));
    const reply = (await response.json().catch(() => undefined)) as (ActionReply & { redirect?: string }) | undefined;
    if (!reply?.ok)
      throw new ActionError(
        reply?.error ?? response.statusText,
        response.status,
        (reply && "issues" in reply && reply.issues) || [],
      );
    if (reply.redirect !== undefined) location.assign(reply.redirect);
    return reply.value;
  };
}

async function post(path: string, body: string): Promise<Response> {
  const headers = { "content-type": "application/json", [HEADERS.csrf]: pageState().csrf_token };
  try {
    return await fetch(path, { method: "POST", headers, body });
  } catch (error) {
    throw new ActionError(error instanceof Error ? error.message : String(error), 0, []);
  }
}
