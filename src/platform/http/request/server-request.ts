/**
 * A request at svc's own server: an `IncomingMessage` that buffers its body until code takes it as a whole or reads it as a stream. Nearly
 * every request has no body, or a body that is taken as a whole. Passing it through a stream would cost more than the rest of the request
 * handling. Decision 053 has measurements, and the internals of Node that this depends on.
 */
import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SvcError } from "../../shared/errors.ts";
import { tooLarge } from "../body/read-body.ts";
import type { BodyGate } from "../body/body-budget.ts";
import { headerObject } from "./header-object.ts";

/** A caller that waits for the whole body. */
interface Taker {
  limitBytes: number;
  gate: BodyGate | undefined;
  resolve: (body: Uint8Array) => void;
  reject: (error: SvcError) => void;
}

type Dump = (this: IncomingMessage) => void;

/** Called by node:http when the response is sent: nobody needs the rest of the body. */
const dump = (IncomingMessage.prototype as unknown as { readonly _dump?: Dump })._dump;

const EMPTY = Buffer.alloc(0);

export class OwnMessage extends IncomingMessage {
  declare _dumped: boolean;
  /** Cached after the first access. */
  madeHeaders: IncomingMessage["headers"] | undefined;
  /** Buffered chunks; undefined once the body is read as a stream. */
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  /** Whether the complete body has arrived while it is buffered. */
  #isWhole = false;
  #isTaken = false;
  #taker: Taker | undefined;
  #start: (() => void) | undefined;

  constructor(socket: Socket) {
    super(socket);
  }

  /** Calls `start` when the body has arrived, if it arrives together with the head; else before the next event of the loop. */
  startWithBody(start: () => void): void {
    this.#start = start;
    process.nextTick(startUnlessHere, this);
  }

  startNow(): void {
    const start = this.#start;
    this.#start = undefined;
    start?.();
  }

  /** Whether all announced bytes have arrived. node:http then reports the end within the same read of the socket. */
  get isAllHere(): boolean {
    return this.#heldBytes > 0 && this.#heldBytes === Number(this.headers["content-length"]);
  }

  /** Called by node:http's parser with each chunk, and with null at the end. @returns whether it accepts more */
  override push(chunk: Buffer | null): boolean {
    const held = this.#held;
    if (!held) return super.push(chunk);
    if (chunk === null) {
      this.#isWhole = true;
      if (this.#taker) this.#hand(this.#taker);
      else if (this.#start) this.startNow();
      return false;
    }
    held.push(chunk);
    this.#heldBytes += chunk.length;
    const taker = this.#taker;
    if (!taker) return this.#heldBytes < this.readableHighWaterMark;
    const refusal = this.#refusalOf(taker, chunk);
    if (!refusal) return true;
    this.#taker = undefined;
    this.#held = [];
    taker.reject(refusal);
    return false;
  }

  /** The error that ends reading; undefined to continue. */
  #refusalOf({ limitBytes, gate }: Taker, chunk: Buffer): SvcError | undefined {
    if (this.#heldBytes > limitBytes) return tooLarge(limitBytes);
    try {
      gate?.accept(chunk);
    } catch (error) {
      if (error instanceof SvcError) return error;
      throw error;
    }
  }

  /** Whether `takeBody` can be called: no code has started to read the body as a stream. */
  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /**
   * The whole body; synchronous if it has arrived. Call it once, and only while `isHeld`.
   * @param gate called with each chunk on arrival
   * @throws SvcError `SVC_TOO_LARGE`, `SVC_UNAVAILABLE`, `SVC_BAD_REQUEST`
   */
  takeBody(limitBytes: number, gate?: BodyGate): Uint8Array | Promise<Uint8Array> {
    if (this.#heldBytes > limitBytes) throw tooLarge(limitBytes);
    if (gate) for (const chunk of this.#held ?? []) gate.accept(chunk);
    if (this.#isWhole) return this.#taken();
    if (this.destroyed) throw leftEarly();
    return new Promise((resolve, reject) => {
      this.#taker = { limitBytes, gate, resolve, reject };
      // node:http stops reading when the buffer is full.
      if (this.#heldBytes >= this.readableHighWaterMark) super._read(0);
    });
  }

  #hand({ resolve }: Taker): void {
    this.#taker = undefined;
    resolve(this.#taken());
  }

  #taken(): Uint8Array {
    const held = this.#held ?? [];
    this.#held = [];
    this.#isTaken = true;
    if (held.length === 0) return EMPTY;
    return held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
  }

  /** Switches to a stream: called when code reads it as one. */
  override _read(size: number): void {
    const held = this.#held;
    if (!held) return super._read(size);
    this.#held = undefined;
    for (const chunk of held) super.push(chunk);
    if (this.#isWhole) super.push(null);
    else super._read(size);
  }

  /** A complete, buffered body has nothing to drain, and no listener waits for its end. */
  _dump(): void {
    const isQuiet = this.listenerCount("end") === 0 && this.listenerCount("close") === 0;
    if (this.#held && this.#isWhole && isQuiet) this._dumped = true;
    else dump?.call(this);
  }

  /** Part of `readableEnded`, by which node:http decides whether it can release the message. */
  get isDone(): boolean {
    return this.#isWhole && this.#held !== undefined && (this.#isTaken || this._dumped);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#taker?.reject(leftEarly(error ?? undefined));
    this.#taker = undefined;
    super._destroy(error, done);
  }
}

const theirs = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, "headers");
const ended = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(IncomingMessage.prototype) as object,
  "readableEnded",
);

function theirHeaders(message: IncomingMessage): IncomingMessage["headers"] {
  return theirs?.get?.call(message) as IncomingMessage["headers"];
}

// Accessors of Node, which its types declare as properties.
Object.defineProperty(OwnMessage.prototype, "headers", {
  configurable: true,
  get(this: OwnMessage): IncomingMessage["headers"] {
    return (this.madeHeaders ??= headerObject(this.rawHeaders) ?? theirHeaders(this));
  },
  set(this: OwnMessage, given: IncomingMessage["headers"]): void {
    this.madeHeaders = given;
  },
});
Object.defineProperty(OwnMessage.prototype, "readableEnded", {
  configurable: true,
  get(this: OwnMessage): boolean {
    return this.isDone || ended?.get?.call(this) === true;
  },
});

/** Runs between the chunks of a body and its end, by the order of node:http's callbacks. */
function startUnlessHere(message: OwnMessage): void {
  if (!message.isAllHere) message.startNow();
}

export function leftEarly(cause?: unknown): SvcError {
  return new SvcError("SVC_BAD_REQUEST", "The client disconnected while sending the body", { cause });
}

/** The class for a server; undefined if this version of Node has other internals. */
export function messageClass(): typeof OwnMessage | undefined {
  return dump !== undefined && ended?.get !== undefined ? OwnMessage : undefined;
}
