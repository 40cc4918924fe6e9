/**
 * Where sessions are between requests: sealed in a cookie, or in a store with only their id in the cookie. Owns lifetime,
 * renewal and sealing; what one holds is session.ts.
 *
 * The seal holds `[id, second in which it began, second in which it ends, data?]`, so neither can be read, changed or prolonged by who carries it.
 */
import { createHash } from "node:crypto";
import { Sealer } from "../../security/seal.ts";
import type { Secrets } from "../../security/secrets.ts";
import type { Clock } from "../../shared/clock.ts";
import { SvcError } from "../../shared/errors.ts";
import { OpenSession } from "./session.ts";

/** Keeps sessions where many processes, or a sign-out everywhere, can reach them. */
export interface SessionStore {
  /** @param id names one session; a hash, so that who reads the store can't take a session over. @returns what `write` was given, or undefined */
  read(id: string): string | undefined | Promise<string | undefined>;
  /** @param data JSON, never empty. @param expiresMs Unix milliseconds after which it may be thrown away */
  write(id: string, data: string, expiresMs: number): void | Promise<void>;
  /**
   * Writes only over what is there, at one stroke: what has been removed meanwhile is over. Without it the session is read again right
   * before `write`, and in the moment between the two a request under way can bring back what another one removes.
   * @returns whether it was there
   */
  replace?(id: string, data: string, expiresMs: number): boolean | Promise<boolean>;
  remove(id: string): void | Promise<void>;
}

export interface SessionsOptions {
  secrets: Secrets;
  clock: Clock;
  /** How long a session lives after the last request that renewed it. */
  lifetimeMs: number;
  /** How long one id lives at most, however often it is used. */
  longestMs: number;
  /** Undefined: in the cookie. */
  store: SessionStore | undefined;
}

/** What a visitor's cookie says. */
export interface Ticket {
  id: string;
  /** When the id was given. */
  bornMs: number;
  expiresMs: number;
  /** JSON; undefined where a store has it. */
  text: string | undefined;
  /** Whether the site's current secret sealed it. */
  isCurrent: boolean;
}

/** What becomes of the cookie: a value and its life, or its end. */
export type CookieChange = { value: string; maxAgeSeconds: number } | "remove" | undefined;

const PURPOSE = "session";
/** Name, attributes and percent-encoding leave this much of a cookie (4096 bytes) to its value. */
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

  /** Undefined for a cookie that is not ours, or is too old. */
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
    // Without its data a session is over: removed from the store, or kept elsewhere before.
    return new OpenSession(text === undefined ? { id: undefined, text: NO_DATA } : { id: ticket?.id, text });
  }

  /** Keeps what has changed. @param ticket what the browser holds. @throws SvcError `SVC_SESSION` when it can't be kept */
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
    // Over since it was loaded. The cookie stays as it is: by now the browser may hold that of a new session.
    else if (!(await this.#replaced(keyOf(id), text, expiresMs))) return undefined;
    // Last, so that a store that fails in between leaves the visitor what there was.
    if (ticket && id !== ticket.id) await this.#store?.remove(keyOf(ticket.id));
    return { value: this.#seal([id, bornMs, expiresMs], text), maxAgeSeconds: (expiresMs - nowMs) / 1000 };
  }

  /** @returns whether it is kept; false where it has been removed */
  async #replaced(key: string, text: string, expiresMs: number): Promise<boolean> {
    const store = this.#store;
    if (store?.replace) return store.replace(key, text, expiresMs);
    if (store && (await store.read(key)) === undefined) return false;
    await store?.write(key, text, expiresMs);
    return true;
  }

  /** After half of its life a session is renewed by being used, so that not each request writes. */
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
      `The session takes ${value.length} bytes, sealed; a cookie has room for ${MAX_SEALED_LENGTH}. Keep less in it, or ` +
        "keep sessions in a store: createApp({ session: { store } })",
    );
  }
}

function keyOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}
