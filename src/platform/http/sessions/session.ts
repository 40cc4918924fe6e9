/** One visitor's session while a request is answered: what it holds, and whether that changed. session-keys.ts keeps it. */
import { randomHex } from "../../security/random.ts";
import { SvcError } from "../../shared/errors.ts";

/** What sessions hold, as JSON has it; extend by declaration merging: `interface SessionData { user?: string }`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface SessionData {}

type Name = keyof SessionData;

/**
 * What is known of a visitor from one request to the next. It begins when something is set, and is written once, after the
 * handler, if it has changed. Of two requests at once, what the later one writes is what stays.
 */
export interface Session {
  get<N extends Name>(name: N): SessionData[N] | undefined;
  /**
   * @param value JSON: a Date comes back as text. Changes inside of it are seen too.
   * @throws SvcError `SVC_TOO_LATE` once the head of the answer has gone out, as the methods below do.
   */
  set<N extends Name>(name: N, value: SessionData[N]): void;
  delete(name: Name): void;
  /**
   * Gives the session a new id and keeps what it holds: at each sign-in and other change of rights, so that an id (or a CSRF
   * token) that someone else knew is worth nothing. Without a session, does nothing: it will begin with a new one.
   */
  regenerate(): void;
  /** Forgets all it holds and, in the browser, its cookie. What is set afterwards begins a new session. */
  destroy(): void;
}

/** A session as it was loaded. */
export interface LoadedSession {
  /** Undefined where the visitor has none. */
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

  /** From here on changes could not reach the browser. */
  close(): void {
    this.#isClosed = true;
  }

  /** JSON of what it holds. @throws SvcError `SVC_SESSION` for what JSON can't write */
  toText(): string {
    try {
      return JSON.stringify(Object.fromEntries(this.#values));
    } catch (cause) {
      throw new SvcError("SVC_SESSION", `A session holds JSON alone: ${(cause as Error).message}`, { cause });
    }
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new SvcError("SVC_TOO_LATE", "The session can't change any more: the head of the answer has gone out");
  }
}
