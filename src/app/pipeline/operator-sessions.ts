/**
 * Sessions of operators who signed in on the screens. The database contains a row per session, so that a sign-out ends it in every process,
 * for copied cookies too. The cookie is sealed for the operator key or the process of `svc dev`: without it, a row gives no access.
 */
import { createHash } from "node:crypto";
import { randomHex } from "../../platform/security/random.ts";
import type { Secrets } from "../../platform/security/secrets.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { SessionRows } from "../../storage/contract/session-store.ts";
import { DatabaseSessions } from "../lifecycle/database-sessions.ts";
import type { OperatorAccess, OperatorProof } from "./operator-access.ts";
import { sealFor, unsealFor } from "./seals.ts";

/** A working day. */
const LIFETIME_MS = 8 * 3_600_000;
const PROOFS: readonly OperatorProof[] = ["key", "link"];
/** Separates these rows from visitors' sessions. */
const ROW_PREFIX = "operator ";

export type OperatorRole = "read" | "operator";

export interface OperatorSession {
  /** Names the session without giving access to it. */
  readonly id: string;
  readonly proof: OperatorProof;
  readonly role: OperatorRole;
}

/** A new session. */
export interface OpenedOperatorSession {
  readonly session: OperatorSession;
  /** Value of the cookie. */
  readonly cookie: string;
  readonly maxAgeSeconds: number;
}

interface OperatorSessionsOptions {
  rows: SessionRows;
  secrets: Secrets;
  clock: Clock;
  access: Pick<OperatorAccess, "sessionPurpose">;
}

export class OperatorSessions {
  readonly #store: DatabaseSessions;
  readonly #options: OperatorSessionsOptions;

  constructor(options: OperatorSessionsOptions) {
    this.#store = new DatabaseSessions(options.rows, options.clock);
    this.#options = options;
  }

  /** Begins a session of eight hours; undefined if there is no such key or link. Resolves after the durable commit. */
  async open(proof: OperatorProof, role: OperatorRole): Promise<OpenedOperatorSession | undefined> {
    const purpose = this.#options.access.sessionPurpose(proof);
    if (purpose === undefined) return undefined;
    const ticket = randomHex(16);
    const id = idOf(ticket);
    await this.#store.write(ROW_PREFIX + id, role, this.#options.clock.now() + LIFETIME_MS);
    const cookie = sealFor(this.#options, purpose, ticket, LIFETIME_MS);
    return { session: { id, proof, role }, cookie, maxAgeSeconds: LIFETIME_MS / 1000 };
  }

  /** Undefined for a cookie that is invalid or has expired, and after the sign-out. */
  async find(rawCookie: string | undefined): Promise<OperatorSession | undefined> {
    const sealed = this.#unsealed(rawCookie);
    const role = sealed && (await this.#store.read(ROW_PREFIX + sealed.id));
    return sealed && (role === "read" || role === "operator") ? { ...sealed, role } : undefined;
  }

  /** Ends the session in all processes. Resolves after the durable commit. */
  async close(rawCookie: string | undefined): Promise<void> {
    const sealed = this.#unsealed(rawCookie);
    if (sealed) await this.#store.remove(ROW_PREFIX + sealed.id);
  }

  #unsealed(rawCookie: string | undefined): Omit<OperatorSession, "role"> | undefined {
    if (rawCookie === undefined) return undefined;
    for (const proof of PROOFS) {
      const purpose = this.#options.access.sessionPurpose(proof);
      const ticket = purpose === undefined ? undefined : unsealFor(this.#options, purpose, rawCookie);
      if (typeof ticket === "string") return { id: idOf(ticket), proof };
    }
    return undefined;
  }
}

/** As for visitors' sessions, a hash: a reader of the database or of a page cannot take over the session. */
function idOf(ticket: string): string {
  return createHash("sha256").update(ticket).digest("base64url");
}
