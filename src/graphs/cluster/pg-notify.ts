/**
 * What processes tell each other by NOTIFY: that a graph has new events, that deliveries wait, that somebody wants something. Told
 * beside the transactions, a few times a second: a notification in a transaction takes a lock that all commits of the database
 * wait for. So one may be lost, and nobody relies on it: who waits for something looks as well, now and then, and when a process was lost.
 */
import type { Clock, Timer } from "../../platform/shared/clock.ts";

export const CHANNEL = "svc_cluster";

/** How long news is gathered: what a person who follows a graph does not notice. */
const GATHER_MS = 25;
/** News of a time in which the database was away: more is forgotten, and found by those who look. */
const MOST_KEPT = 10_000;
/** PostgreSQL takes 7,999 bytes. */
const MOST_BYTES = 7000;
/** Of one piece of news, quoted. */
export const LONGEST_NEWS = 3000;

/** Lists of ids. */
export interface News {
  /** Graphs with new events. */
  graphs: string[];
  /** Registrations with new deliveries. */
  registrations: string[];
  /** Processes for which there is a command. */
  asked: string[];
  /** Commands that are answered. */
  answered: string[];
  /** Processes for which there are messages of nodes. */
  called: string[];
  /** What was changed that others may have read: `queues` (and schedules), `registrations`, `webhooks` (those, or deliveries); `permits`: some were given back; `places`: some are wanted; `lost`: a process
   * has gone, and may have told nobody what it did last. */
  changed: string[];
  /** Tags and paths of pages that show something else now. */
  invalidated: string[];
  /** The process that tells it: it hears itself as well. */
  from?: string;
}

type Kind = keyof Omit<News, "from">;
const KINDS: readonly Kind[] = ["graphs", "registrations", "asked", "answered", "called", "changed", "invalidated"];

export class Notices {
  readonly #clock: Clock;
  readonly #send: (payload: string) => Promise<void>;
  readonly #me: () => string | undefined;
  readonly #news: Record<Kind, Set<string>> = {
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
   * @param send may reject: then it is tried again.
   * @param me what this process is called among the others; undefined while it is not listed.
   */
  constructor(clock: Clock, send: (payload: string) => Promise<void>, me: () => string | undefined) {
    this.#clock = clock;
    this.#send = send;
    this.#me = me;
  }

  add(kind: Kind, id: string): void {
    if (this.#isClosed) return;
    this.#news[kind].add(id);
    if (this.#news[kind].size > MOST_KEPT) this.#news[kind].clear();
    this.#timer ??= this.#clock.schedule(GATHER_MS, () => {
      this.#timer = undefined;
      for (const payload of this.#payloads()) this.#try(payload);
    });
  }

  /** What can't be told now is told with the next. */
  #try(payload: string): void {
    this.#send(payload).catch(() => {
      const news = readNews(payload);
      for (const kind of KINDS) for (const id of news[kind]) this.add(kind, id);
    });
  }

  /** Without waiting for more: somebody waits for this. */
  tell(kind: Kind, id: string): void {
    this.#try(JSON.stringify({ from: this.#me(), [kind]: [id] }));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #payloads(): string[] {
    const all = KINDS.flatMap((kind) => [...this.#news[kind]].map((id) => [kind, id] as const));
    for (const kind of KINDS) this.#news[kind].clear();
    const payloads: string[] = [];
    const from = this.#me();
    let part: Partial<News> = {};
    let bytes = 0;
    const end = (): void => {
      if (bytes > 0) payloads.push(JSON.stringify({ from, ...part }));
      [part, bytes] = [{}, 0];
    };
    for (const [kind, id] of all) {
      // Its comma, and perhaps the name of the list.
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
export function readNews(payload: string): News {
  return newsOf(JSON.parse(payload) as Partial<News>);
}

export function newsOf(told: Partial<News>): News {
  return { graphs: [], registrations: [], asked: [], answered: [], called: [], changed: [], invalidated: [], ...told };
}
