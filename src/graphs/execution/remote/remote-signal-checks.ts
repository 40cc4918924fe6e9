/**
 * Schemas of waits whose worker runs in a thread or another process: they validate a signal there, before its sender is answered. Owns
 * the open checks.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { StandardSchema } from "../../../platform/shared/schema.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { errorOf, type Settlement, type ToThread } from "./thread-messages.ts";

/** The other side is gone, so the check has no result. */
export class CheckLost extends SvcError {
  constructor() {
    super("SVC_UNAVAILABLE", "The process of the waiting worker has just ended. Send the signal again.");
  }
}

type SchemaResult = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;

export class AwayChecks {
  readonly #post: (message: ToThread) => void;
  readonly #open = new Map<number, { resolve: (result: SchemaResult) => void; reject: (error: Error) => void }>();
  #ids = 0;

  constructor(post: (message: ToThread) => void) {
    this.#post = post;
  }

  /** Placeholder for the schema of the wait `id`. */
  schemaOf(id: number): StandardSchema {
    return {
      "~standard": {
        version: 1,
        vendor: "svc",
        validate: (payload) =>
          new Promise((resolve, reject) => {
            const check = this.#ids++;
            this.#open.set(check, { resolve, reject });
            this.#post({ type: "check", id, check, payload: payload as Json });
          }),
      },
    };
  }

  /** Receives the result of a check. */
  checked(check: number, settlement: Settlement): void {
    const open = this.#open.get(check);
    this.#open.delete(check);
    if ("error" in settlement) open?.reject(errorOf(settlement.error));
    else open?.resolve(settlement.value as SchemaResult);
  }

  /** Rejects open checks. */
  close(): void {
    for (const { reject } of this.#open.values()) reject(new CheckLost());
    this.#open.clear();
  }
}
