/** A submit on its way: what is known of it, what was read, and what came of it. */
import type { SubmitBody, SubmitDefinition } from "./submit.ts";
import type { Endpoints } from "../services.ts";
import { errorHeaders } from "../../platform/http/response/response.ts";
import type { Context } from "../../platform/http/types.ts";
import type { ActionReply } from "../../platform/shared/wire.ts";
import { outcomeOf } from "../actions/action-response.ts";

/** A submit whose name is known. */
export interface Call {
  readonly ctx: Context;
  readonly endpoints: Endpoints;
  readonly name: string;
  readonly definition: SubmitDefinition;
  /** What the answer carries whatever comes of it; flat. */
  readonly headers: string[];
}

/** What was read of a body; files are there until `clear`. */
export interface Read extends SubmitBody {
  /** Names the intent, where the sender did. */
  readonly key: string | undefined;
  readonly page: string | undefined;
  readonly form: string | undefined;
  readonly digest: string;
  readonly clear: () => Promise<void>;
}

/** What came of it: status and envelope, and what to add to the answer. */
export interface Outcome {
  readonly status: number;
  readonly reply: ActionReply;
  readonly headers: readonly string[];
}

export function outcome({ ctx, endpoints, name }: Call, error: unknown): Outcome {
  const asked = { ctx, services: endpoints.services, name: `submit ${name}`, headers: [] };
  const { status, reply } = outcomeOf(asked, error);
  return { status, reply, headers: errorHeaders(error) };
}
