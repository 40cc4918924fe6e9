/** A visitor's session during one request: its data, and changes to it. session-keys.ts stores it. */
import { randomHex } from "../../security/random.ts";
import { SvcError } from "../../shared/errors.ts";

/** The data of sessions, as JSON; extend it by declaration merging: `interface SessionData { user?: string }`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface SessionData {}

type Name = keyof SessionData;

/**
 * Data about a visitor, kept between requests. The first `set` creates a session. A changed session is saved once, after the handler. If
 * two requests change it concurrently, the later save wins.
 */
export interface Session {
  get<N extends Name>(name: N): SessionData[N] | undefined;
  /**
   * @param value JSON: a Date is read back as text. Later changes inside of it are saved as well.
   * @throws SvcError `SVC_TOO_LATE` after the head of the response was sent, as do the methods below.
   */
  set<N extends Name>(name: N, value: SessionData[N]): void;
  /**
   * Signs a visitor in: sets a value and gives the session a new id, so that an id (or a CSRF token) that somebody else knew becomes
   * invalid (session fixation). Keeps the other data. Use it instead of `set` for the value that says who the visitor is.
   * @throws SvcError `SVC_TOO_LATE` as `set` does
   * @example
   * const session = await ctx.session();
   * session.signIn("user", "ada");
   */
  signIn<N extends Name>(name: N, value: SessionData[N]): void;
  delete(name: Name): void;
  /**
   * Gives the session a new id and keeps its data. Call it at each change of rights other than `signIn`, so that an id (or a CSRF token)
   * that somebody else knew becomes invalid. Has no effect without a session, because a new one gets a new id anyway.
   */
  regenerate(): void;
  /** Deletes the data and, in the browser, the cookie. A later `set` creates a new session. */
  destroy(): void;
}

/** A session as it was loaded. */
export interface LoadedSession {
  /** Undefined if the visitor has no session. */
  id: string | undefined;
  /** JSON of an object. */
  text: string;
}

export class OpenSession implements Session {
  readonly loaded: LoadedSession;
  readonly #values: Map<string, unknown>;
  #id: string | undefined;
  #isClosed = false;

  constructor(loaded: LoadedSession) {
    this.loaded = loaded;
    this.#id = loaded.id;
    this.#values = new Map(Object.entries(JSON.parse(loaded.text) as Record<string, unknown>));
  }

  /** Undefined while the visitor has no session. */
  get id(): string | undefined {
    return this.#id;
  }

  get<N extends Name>(name: N): SessionData[N] | undefined {
    return this.#values.get(name) as SessionData[N] | undefined;
  }

  set<N extends Name>(name: N, value: SessionData[N]): void {
    this.#requireOpen();
    this.#id ??= randomHex(16);
    this.#values.set(name, value);
  }

  signIn<N extends Name>(name: N, value: SessionData[N]): void {
    this.regenerate();
    this.set(name, value);
  }

  delete(name: Name): void {
    this.#requireOpen();
    this.#values.delete(name);
  }

  regenerate(): void {
    this.#requireOpen();
    if (this.#id !== undefined) this.#id = randomHex(16);
  }

  destroy(): void {
    this.#requireOpen();
    this.#values.clear();
    this.#id = undefined;
  }

  /** Rejects later changes, which could not reach the browser. */
  close(): void {
    this.#isClosed = true;
  }

  /** The data as JSON. @throws SvcError `SVC_SESSION` for values that JSON can't represent */
  toText(): string {
    try {
      return JSON.stringify(Object.fromEntries(this.#values));
    } catch (cause) {
      throw new SvcError("SVC_SESSION", `A session can only contain JSON: ${(cause as Error).message}`, { cause });
    }
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new SvcError("SVC_TOO_LATE", "The session can't be changed: the head of the response was already sent");
  }
}
