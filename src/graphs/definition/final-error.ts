/** Thrown by a worker when trying again can't help: a broken input stays broken. The node fails at once. */
export class FinalError extends Error {
  readonly isFinal = true;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "FinalError";
  }
}

/** By its mark, not its class: the worker's module may have its own copy of svc. */
export function isFinalError(error: unknown): boolean {
  return typeof error === "object" && error !== null && (error as { isFinal?: unknown }).isFinal === true;
}
