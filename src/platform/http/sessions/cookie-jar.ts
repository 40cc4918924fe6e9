/** Cookies of a request and its response, including the session. */
import type { Secrets } from "../../security/secrets.ts";
import { readSigned, signValue } from "../../security/signed-value.ts";
import { invariant, SvcError } from "../../shared/errors.ts";
import { COOKIES } from "../../shared/wire.ts";
import { cookieKey, cookieNamed, parseCookies, serializeCookie } from "./cookies.ts";
import type { OpenSession } from "./session.ts";
import type { Sessions, Ticket } from "./session-keys.ts";
import type { CookieOptions } from "../types.ts";

/** Keys for signing and sealing, and the sessions; created when the app boots. */
export interface SessionKeys {
  readonly secrets: Secrets;
  readonly sessions: Sessions;
}

export class CookieJar {
  readonly #header: string | undefined;
  #parsed: Readonly<Record<string, string>> | undefined;
  readonly #isSecure: boolean;
  readonly #sessionKeys: (() => SessionKeys) | undefined;
  /** `Set-Cookie` values by name, path and domain. */
  readonly #lines = new Map<string, string>();
  #isClosed = false;
  #ticket: { value: Ticket | undefined } | undefined;
  #opening: Promise<OpenSession> | undefined;
  #session: OpenSession | undefined;

  constructor(header: string | undefined, isSecure: boolean, sessionKeys: (() => SessionKeys) | undefined) {
    this.#header = header;
    this.#isSecure = isSecure;
    this.#sessionKeys = sessionKeys;
  }

  get lines(): Iterable<string> {
    return this.#lines.values();
  }

  get received(): Readonly<Record<string, string>> {
    return (this.#parsed ??= parseCookies(this.#header));
  }

  cookie(name: string): string | undefined {
    return this.#parsed ? this.#parsed[name] : cookieNamed(this.#header, name);
  }

  /** Whether no cookie is set. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  signed(name: string): string | undefined {
    return readSigned(this.#keys.secrets, purposeOf(name), this.cookie(name));
  }

  set(name: string, value: string, options: CookieOptions = {}): void {
    if (this.#isClosed)
      throw new SvcError("SVC_TOO_LATE", `Cookie "${name}" can't be set: the head of the response was already sent`);
    const text = options.signed ? signValue(this.#keys.secrets, purposeOf(name), value) : value;
    const key = cookieKey(name, options);
    // Moves it to the end, as if it had not been set before.
    this.#lines.delete(key);
    this.#lines.set(key, serializeCookie(name, text, { ...options, secure: options.secure ?? this.#isSecure }));
  }

  /** Opens the session on first use. */
  session(): Promise<OpenSession> {
    return (this.#opening ??= this.#open());
  }

  /** Id of the current session, without loading its data. */
  get sessionId(): string | undefined {
    return this.#session ? this.#session.id : this.#received?.id;
  }

  /** Whether the session differs from that of the request. */
  get hasNewSession(): boolean {
    return this.#session !== undefined && this.#session.id !== this.#received?.id;
  }

  /** Whether code has opened the session. */
  get hasOpened(): boolean {
    return this.#opening !== undefined;
  }

  /** Saves changes of the session. @throws the errors of its store, and SvcError `SVC_SESSION` */
  async save(): Promise<void> {
    // The caller of `session()` has already got the error.
    const session = await this.#opening?.catch(() => undefined);
    if (!session) return;
    const change = await this.#keys.sessions.save(session, this.#received);
    if (change === "remove") this.set(this.#sessionName, "", { maxAgeSeconds: 0 });
    else if (change) this.set(this.#sessionName, change.value, { maxAgeSeconds: change.maxAgeSeconds });
  }

  /** Rejects later changes, which would be lost. */
  close(): void {
    this.#isClosed = true;
    this.#session?.close();
  }

  async #open(): Promise<OpenSession> {
    const session = await this.#keys.sessions.open(this.#received);
    if (this.#isClosed) session.close();
    return (this.#session = session);
  }

  get #received(): Ticket | undefined {
    if (this.#header === undefined) return undefined;
    const raw = this.cookie(this.#sessionName);
    return raw === undefined ? undefined : (this.#ticket ??= { value: this.#keys.sessions.ticket(raw) }).value;
  }

  /** Over HTTPS, a name that no sibling domain can set (RFC 6265bis section 4.1.3.2). */
  get #sessionName(): string {
    return this.#isSecure ? COOKIES.secureSession : COOKIES.session;
  }

  get #keys(): SessionKeys {
    invariant(this.#sessionKeys, "a request outside of an app has no secrets");
    return this.#sessionKeys();
  }
}

/** Includes the name, so that one signed cookie can't replace another. */
function purposeOf(name: string): string {
  return `cookie ${name}`;
}
