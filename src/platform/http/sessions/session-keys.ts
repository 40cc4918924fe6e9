/**
 * Keeps sessions between requests: sealed in a cookie, or in a store with only the id in the cookie. Handles lifetime, renewal and sealing;
 * session.ts handles the content.
 *
 * The seal contains `[id, second of creation, second of expiry, data?]`, so that its bearer can't read, change or prolong it.
 */
import { createHash } from "node:crypto";
import { Sealer } from "../../security/seal.ts";
import type { Secrets } from "../../security/secrets.ts";
import type { Clock } from "../../shared/clock.ts";
import { SvcError } from "../../shared/errors.ts";
import { OpenSession } from "./session.ts";

/** Stores sessions for several processes, and lets a sign-out end all sessions of a user. */
export interface SessionStore {
  /**
   * @param id a hash of the session's id, so that a reader of the store can't take over a session.
   * @returns the data of `write`, or undefined
   */
  read(id: string): string | undefined | Promise<string | undefined>;
  /** @param data JSON, never empty. @param expiresMs Unix milliseconds after which the data may be deleted */
  write(id: string, data: string, expiresMs: number): void | Promise<void>;
  /**
   * Atomically replaces existing data; a session that was removed in the meantime stays removed. Without this method, svc reads the session
   * directly before `write`, and a concurrent request can restore a session that another one removes between the two.
   * @returns whether the session existed
   */
  replace?(id: string, data: string, expiresMs: number): boolean | Promise<boolean>;
  remove(id: string): void | Promise<void>;
}

export interface SessionsOptions {
  secrets: Secrets;
  clock: Clock;
  /** Lifetime after the last request that renewed the session. */
  lifetimeMs: number;
  /** Longest lifetime of one id, regardless of use. */
  longestMs: number;
  /** Undefined: sessions are in the cookie. */
  store: SessionStore | undefined;
}

/** The content of a visitor's cookie. */
export interface Ticket {
  id: string;
  /** Creation time of the id. */
  bornMs: number;
  expiresMs: number;
  /** JSON; undefined if a store has the data. */
  text: string | undefined;
  /** Whether the site's current secret sealed it. */
  isCurrent: boolean;
}

/** The change of the cookie: a value with its lifetime, or its removal. */
export type CookieChange = { value: string; maxAgeSeconds: number } | "remove" | undefined;

const PURPOSE = "session";
/** Maximum length of the value: a cookie has 4096 bytes, including its name. */
const MAX_SEALED_LENGTH = 4096 - 32;
const NO_DATA = "{}";

export class Sessions {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #longestMs: number;
  readonly #store: SessionStore | undefined;

  constructor({ secrets, clock, lifetimeMs, longestMs, store }: SessionsOptions) {
    this.#sealer = new Sealer(secrets, PURPOSE);
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#longestMs = longestMs;
    this.#store = store;
  }

  /** Undefined for an invalid or expired cookie. */
  ticket(rawCookie: string | undefined): Ticket | undefined {
    const unsealed = rawCookie === undefined ? undefined : this.#sealer.unseal(rawCookie);
    if (!unsealed) return undefined;
    const [id, bornSeconds, expiresSeconds, data] = JSON.parse(unsealed.text) as [string, number, number, unknown];
    const [bornMs, expiresMs] = [bornSeconds * 1000, expiresSeconds * 1000];
    if (expiresMs <= this.#clock.now()) return undefined;
    const text = data === undefined ? undefined : JSON.stringify(data);
    return { id, bornMs, expiresMs, text, isCurrent: unsealed.isCurrent };
  }

  async open(ticket: Ticket | undefined): Promise<OpenSession> {
    const text = ticket && (this.#store ? await this.#store.read(keyOf(ticket.id)) : ticket.text);
    // A session without its data has ended: removed from the store, or saved in another store before.
    return new OpenSession(text === undefined ? { id: undefined, text: NO_DATA } : { id: ticket?.id, text });
  }

  /** Saves changes. @param ticket the browser's cookie. @throws SvcError `SVC_SESSION` if the session is too large */
  async save(session: OpenSession, ticket: Ticket | undefined): Promise<CookieChange> {
    const { id, loaded } = session;
    if (id === undefined) {
      if (ticket) await this.#store?.remove(keyOf(ticket.id));
      return ticket && "remove";
    }
    const text = session.toText();
    if (id === loaded.id && text === loaded.text && ticket && !this.#isDue(ticket)) return undefined;
    const nowMs = this.#clock.now();
    const bornMs = id === ticket?.id ? ticket.bornMs : nowMs;
    const expiresMs = Math.min(nowMs + this.#lifetimeMs, bornMs + this.#longestMs);
    if (id !== loaded.id) await this.#store?.write(keyOf(id), text, expiresMs);
    // It was removed since it was loaded. The cookie stays unchanged, because the browser may already have that of a new session.
    else if (!(await this.#replaced(keyOf(id), text, expiresMs))) return undefined;
    // Last, so that a store that fails before keeps the old session.
    if (ticket && id !== ticket.id) await this.#store?.remove(keyOf(ticket.id));
    return { value: this.#seal([id, bornMs, expiresMs], text), maxAgeSeconds: (expiresMs - nowMs) / 1000 };
  }

  /** @returns whether it was saved; false if it was removed in the meantime */
  async #replaced(key: string, text: string, expiresMs: number): Promise<boolean> {
    const store = this.#store;
    if (store?.replace) return store.replace(key, text, expiresMs);
    if (store && (await store.read(key)) === undefined) return false;
    await store?.write(key, text, expiresMs);
    return true;
  }

  /** Renews a session after half of its lifetime, so that not every request writes. */
  #isDue({ bornMs, expiresMs, isCurrent }: Ticket): boolean {
    const isLast = expiresMs >= bornMs + this.#longestMs;
    return !isCurrent || (!isLast && expiresMs - this.#clock.now() < this.#lifetimeMs / 2);
  }

  #seal([id, bornMs, expiresMs]: [string, number, number], text: string): string {
    const head = `${JSON.stringify(id)},${Math.floor(bornMs / 1000)},${Math.floor(expiresMs / 1000)}`;
    const value = this.#sealer.seal(this.#store ? `[${head}]` : `[${head},${text}]`);
    if (value.length <= MAX_SEALED_LENGTH) return value;
    throw new SvcError(
      "SVC_SESSION",
      `The session has ${value.length} bytes when sealed, but a cookie has room for ${MAX_SEALED_LENGTH}. Store less data, or ` +
        "keep sessions in a store: createApp({ session: { store } })",
    );
  }
}

function keyOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}
