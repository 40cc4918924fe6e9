/** A submit in progress: the call, its body and its outcome. */
import type { SubmitBody, SubmitDefinition } from "./submit.ts";
import type { Endpoints } from "../services.ts";
import { errorHeaders } from "../../platform/http/response/response.ts";
import type { Context } from "../../platform/http/types.ts";
import type { ActionReply } from "../../platform/shared/wire.ts";
import { outcomeOf } from "../actions/action-response.ts";

/** A call of a known submit. */
export interface Call {
  readonly ctx: Context;
  readonly endpoints: Endpoints;
  readonly name: string;
  readonly definition: SubmitDefinition;
  /** Headers of every response to it; flat. */
  readonly headers: string[];
}

/** The body that was read; files exist until `clear`. */
export interface Read extends SubmitBody {
  /** Idempotency key, if the sender gave one. */
  readonly key: string | undefined;
  readonly page: string | undefined;
  readonly form: string | undefined;
  readonly digest: string;
  readonly clear: () => Promise<void>;
}

/** Outcome: status, envelope and additional headers. */
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
