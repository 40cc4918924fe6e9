/**
 * Announcements between processes by NOTIFY: new events of a run, due deliveries, new commands. Sent outside of transactions, a few times
 * a second: a notification in a transaction takes a lock for which all commits of the database wait. An announcement may be lost, so
 * every receiver polls as well.
 */
import type { Clock, Timer } from "../../platform/shared/clock.ts";

export const CHANNEL = "svc_cluster";

/** Time to collect announcements. Followers of a run do not notice it. */
const GATHER_MS = 25;
/** Announcements to keep while the database is unavailable. More are dropped, and found by polling. */
const MOST_KEPT = 10_000;
/** PostgreSQL's limit is 7,999 bytes. */
const MOST_BYTES = 7000;
/** Limit for one announcement, quoted. */
export const MAX_NOTIFICATION = 3000;

/** Lists of ids. */
export interface Notification {
  /** Runs with new events. */
  graphs: string[];
  /** Registrations with new deliveries. */
  registrations: string[];
  /** Processes with new commands. */
  asked: string[];
  /** Answered commands. */
  answered: string[];
  /** Processes with new messages about nodes. */
  called: string[];
  /**
   * Changed data: `queues` (and schedules), `registrations`, `webhooks` (those, or deliveries); `permits`: some were returned; `places`:
   * slots are needed; `lost`: a process has died and may not have announced its last changes.
   */
  changed: string[];
  /** Tags and paths of changed pages. */
  invalidated: string[];
  /** The sender, which receives it as well. */
  from?: string;
}

type Kind = keyof Omit<Notification, "from">;
const KINDS: readonly Kind[] = ["graphs", "registrations", "asked", "answered", "called", "changed", "invalidated"];

export class Notices {
  readonly #clock: Clock;
  readonly #send: (payload: string) => Promise<void>;
  readonly #me: () => string | undefined;
  readonly #notification: Record<Kind, Set<string>> = {
    graphs: new Set(),
    registrations: new Set(),
    asked: new Set(),
    answered: new Set(),
    called: new Set(),
    changed: new Set(),
    invalidated: new Set(),
  };
  #timer: Timer | undefined;
  #isClosed = false;

  /**
   * @param send may reject, and is retried.
   * @param me id of this process; undefined while it is not listed.
   */
  constructor(clock: Clock, send: (payload: string) => Promise<void>, me: () => string | undefined) {
    this.#clock = clock;
    this.#send = send;
    this.#me = me;
  }

  add(kind: Kind, id: string): void {
    if (this.#isClosed) return;
    this.#notification[kind].add(id);
    if (this.#notification[kind].size > MOST_KEPT) this.#notification[kind].clear();
    this.#timer ??= this.#clock.schedule(GATHER_MS, () => {
      this.#timer = undefined;
      for (const payload of this.#payloads()) this.#try(payload);
    });
  }

  /** Announcements that fail are sent with the next ones. */
  #try(payload: string): void {
    this.#send(payload).catch(() => {
      const notification = readNotification(payload);
      for (const kind of KINDS) for (const id of notification[kind]) this.add(kind, id);
    });
  }

  /** Without collecting more, because a caller waits. */
  notify(kind: Kind, id: string): void {
    this.#try(JSON.stringify({ from: this.#me(), [kind]: [id] }));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #payloads(): string[] {
    const all = KINDS.flatMap((kind) => [...this.#notification[kind]].map((id) => [kind, id] as const));
    for (const kind of KINDS) this.#notification[kind].clear();
    const payloads: string[] = [];
    const from = this.#me();
    let part: Partial<Notification> = {};
    let bytes = 0;
    const end = (): void => {
      if (bytes > 0) payloads.push(JSON.stringify({ from, ...part }));
      [part, bytes] = [{}, 0];
    };
    for (const [kind, id] of all) {
      // Its comma, and maybe the name of the list.
      const more = Buffer.byteLength(JSON.stringify(id)) + kind.length + 6;
      if (bytes + more > MOST_BYTES) end();
      (part[kind] ??= []).push(id);
      bytes += more;
    }
    end();
    return payloads;
  }
}

/** @returns lists that may be empty. */
export function readNotification(payload: string): Notification {
  return notificationOf(JSON.parse(payload) as Partial<Notification>);
}

export function notificationOf(reported: Partial<Notification>): Notification {
  return {
    graphs: [],
    registrations: [],
    asked: [],
    answered: [],
    called: [],
    changed: [],
    invalidated: [],
    ...reported,
  };
}
