import { SvcError, type ErrorCode } from "../../platform/shared/errors.ts";

/**
 * Thrown by a worker when a retry cannot help, such as for an invalid input. The node fails at once.
 * @example
 * worker("charge", async (input: { cents: number }) => {
 *   if (input.cents <= 0) throw new FinalError("The amount must be positive");
 *   return { ok: true };
 * });
 */
export class FinalError extends SvcError {
  readonly isFinal = true;

  /** @param code of subclasses. */
  constructor(message: string, options: { cause?: unknown; code?: ErrorCode } = {}) {
    super(options.code ?? "SVC_FINAL", message, { cause: options.cause });
    this.name = "FinalError";
  }
}

/** Recognised by a mark and not by class: the worker's module may load its own copy of svc. */
export function isFinalError(error: unknown): boolean {
  return typeof error === "object" && error !== null && (error as { isFinal?: unknown }).isFinal === true;
}
