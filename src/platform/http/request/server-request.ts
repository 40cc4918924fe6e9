/**
 * A request at our own listening server: an `IncomingMessage` that holds what comes of its body until somebody wants it, whole or as a
 * stream. Nearly every body is wanted whole, or there is none; to have it pass a stream that nobody reads costs more than all the rest
 * that is known of a request. Decision 053 has what this is worth, and what it leans on.
 */
import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SvcError } from "../../shared/errors.ts";
import { tooLarge } from "../body/read-body.ts";
import type { BodyGate } from "../body/body-budget.ts";
import { headerObject } from "./header-object.ts";

/** Who waits for the whole body. */
interface Taker {
  limitBytes: number;
  gate: BodyGate | undefined;
  resolve: (body: Uint8Array) => void;
  reject: (error: SvcError) => void;
}

type Dump = (this: IncomingMessage) => void;

/** Called by node:http when the answer is out: what is left of the body is of no use to anybody. */
const dump = (IncomingMessage.prototype as unknown as { readonly _dump?: Dump })._dump;

const EMPTY = Buffer.alloc(0);

export class OwnMessage extends IncomingMessage {
  declare _dumped: boolean;
  /** Once anybody has looked at them. */
  madeHeaders: IncomingMessage["headers"] | undefined;
  /** Undefined once the body is a stream like any other, or has been taken. */
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  /** Whether all of the body has come, while it is held. */
  #isWhole = false;
  #isTaken = false;
  #taker: Taker | undefined;
  #start: (() => void) | undefined;

  constructor(socket: Socket) {
    super(socket);
  }

  /** Has `start` called once the body is there, where it comes along with the head; else before anything outside is waited for. */
  startWithBody(start: () => void): void {
    this.#start = start;
    process.nextTick(startUnlessHere, this);
  }

  startNow(): void {
    const start = this.#start;
    this.#start = undefined;
    start?.();
  }

  /** Whether all bytes are there that the head has announced: then the end is told within the same read of the socket. */
  get isAllHere(): boolean {
    return this.#heldBytes > 0 && this.#heldBytes === Number(this.headers["content-length"]);
  }

  /** Called by node:http's parser with each part of the body, and null at its end. @returns whether there is room for more */
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

  /** Why the body is not read any further. */
  #refusalOf({ limitBytes, gate }: Taker, chunk: Buffer): SvcError | undefined {
    if (this.#heldBytes > limitBytes) return tooLarge(limitBytes);
    try {
      gate?.accept(chunk);
    } catch (error) {
      if (error instanceof SvcError) return error;
      throw error;
    }
  }

  /** Whether `takeBody` can be called: nobody has begun to read it as a stream. */
  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /**
   * The whole body; at once where it is there. Once, and only while it is held.
   * @param gate sees each part as it arrives
   * @throws SvcError `SVC_TOO_LARGE`, `SVC_UNAVAILABLE`, `SVC_BAD_REQUEST`
   */
  takeBody(limitBytes: number, gate?: BodyGate): Uint8Array | Promise<Uint8Array> {
    if (this.#heldBytes > limitBytes) throw tooLarge(limitBytes);
    if (gate) for (const chunk of this.#held ?? []) gate.accept(chunk);
    if (this.#isWhole) return this.#taken();
    if (this.destroyed) throw leftEarly();
    return new Promise((resolve, reject) => {
      this.#taker = { limitBytes, gate, resolve, reject };
      // Where there was no room for more, node:http has stopped to read.
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

  /** Somebody reads it as a stream. */
  override _read(size: number): void {
    const held = this.#held;
    if (!held) return super._read(size);
    this.#held = undefined;
    for (const chunk of held) super.push(chunk);
    if (this.#isWhole) super.push(null);
    else super._read(size);
  }

  /** What is whole and not a stream has nothing that has to be read away, nor anybody who waits for its end. */
  _dump(): void {
    const isQuiet = this.listenerCount("end") === 0 && this.listenerCount("close") === 0;
    if (this.#held && this.#isWhole && isQuiet) this._dumped = true;
    else dump?.call(this);
  }

  /** For `readableEnded`: by it node:http lets go of the message. */
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

// Accessors of node's that its types have as properties.
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

/** Node:http comes here between the parts of a body, and before it tells of its end. */
function startUnlessHere(message: OwnMessage): void {
  if (!message.isAllHere) message.startNow();
}

export function leftEarly(cause?: unknown): SvcError {
  return new SvcError("SVC_BAD_REQUEST", "The client left while sending its body", { cause });
}

/** The class for a server; undefined where this version of Node keeps messages in another way. */
export function messageClass(): typeof OwnMessage | undefined {
  return dump !== undefined && ended?.get !== undefined ? OwnMessage : undefined;
}
