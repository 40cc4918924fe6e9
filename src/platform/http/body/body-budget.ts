/**
 * Limits the memory that request bodies take in this process. Bytes count from arrival until the request ends, so many slow or large
 * uploads get a 503 instead of exhausting the memory. The limit of a single body belongs to its route (read-body.ts).
 */
import { SvcError } from "../../shared/errors.ts";

/** Default of `SVC_BODY_MEMORY_BYTES`. */
export const BODY_MEMORY_BYTES = 16 * 1024 * 1024;
/** Seconds. By then most of the bodies that fill the budget have been processed. */
const RETRY_AFTER_S = "2";

export class BodyBudget {
  readonly #maxBytes: number;
  #bytes = 0;

  /** @param maxBytes of all bodies together */
  constructor(maxBytes: number = BODY_MEMORY_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that bodies take now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A share of the budget for one request. */
  lease(): BodyLease {
    return new BodyLease(this);
  }

  /**
   * @param held bytes that the same request already holds. A body that is alone may exceed the budget: only its own limit applies.
   * @throws SvcError `SVC_UNAVAILABLE`
   */
  take(bytes: number, held: number): void {
    if (this.#bytes + bytes > this.#maxBytes && this.#bytes > held)
      throw new SvcError(
        "SVC_UNAVAILABLE",
        `The server is reading too many request bodies. Try again in ${RETRY_AFTER_S} s`,
        { headers: { "retry-after": RETRY_AFTER_S } },
      );
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** Sees each part of a body as it arrives, and refuses to read on by throwing. */
export interface BodyGate {
  /** @throws SvcError */
  accept(chunk: Uint8Array): void;
}

/** The part of the budget that one request holds. */
export class BodyLease implements BodyGate {
  readonly #budget: BodyBudget;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** @throws SvcError `SVC_UNAVAILABLE` */
  accept({ length }: Uint8Array): void {
    // No handler reads bytes that arrive after the response: the connection is about to close.
    if (this.#isReleased) return;
    this.#budget.take(length, this.#bytes);
    this.#bytes += length;
  }

  /** Gives everything back. May be called more than once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.release(this.#bytes);
  }
}
