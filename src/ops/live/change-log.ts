/**
 * What has changed in an app, by number, since the first who asked: so that a page which says from which number on it has not looked is
 * told whether it shows something old. Kept are the last change of each kind and of the graphs that changed last, however many there were.
 */
import { randomInt } from "node:crypto";
import type { App } from "../../index.ts";
import type { Change } from "../../ops.ts";
import { ChangeSignal } from "./change-signal.ts";

/** What a page shows: graphs in general, one of them, queues and schedules, webhooks and deliveries, processes. */
export type Subject = "graphs" | `graph:${string}` | "controls" | "webhooks" | "processes";

/** Graphs of which the last change is known by itself; of one that changed before them all, a page is told rather too often. */
const MOST_GRAPHS = 1000;
/** No two servers begin to count alike, so that a number which came from another is unknown here. */
export const MOST_FIRST = 1e14;

export class ChangeLog {
  readonly bell = new ChangeSignal();
  readonly #first: number;
  #at: number;
  /** The last change of everything there is. */
  #allAt: number;
  readonly #bySubject = new Map<string, number>();
  /** In the order of their last change. */
  readonly #byGraph = new Map<string, number>();
  /** Up to which change graphs are not known by themselves any more. */
  #forgottenAt: number;

  constructor(first = randomInt(MOST_FIRST)) {
    this.#first = this.#at = this.#allAt = this.#forgottenAt = first;
  }

  /** Of the last change. */
  get at(): number {
    return this.#at;
  }

  note(change: Change): void {
    const at = ++this.#at;
    if (change.of === "all") this.#allAt = at;
    else this.#bySubject.set(change.of === "graph" ? "graphs" : change.of, at);
    if (change.of === "graph") this.#noteGraph(change.id, at);
    this.bell.ring();
  }

  /** Whether it is a number of this log, and not one that another server gave. */
  knows(at: number): boolean {
    return at >= this.#first && at <= this.#at;
  }

  /** Whether something of these has changed since then, or may have. */
  hasChanged(subjects: readonly Subject[], since: number): boolean {
    if (!this.knows(since)) return true;
    return subjects.some((subject) => this.#lastOf(subject) > since);
  }

  #noteGraph(id: string, at: number): void {
    this.#byGraph.delete(id);
    this.#byGraph.set(id, at);
    if (this.#byGraph.size <= MOST_GRAPHS) return;
    const [oldest] = this.#byGraph;
    if (!oldest) return;
    this.#byGraph.delete(oldest[0]);
    this.#forgottenAt = oldest[1];
  }

  #lastOf(subject: Subject): number {
    const at = subject.startsWith("graph:")
      ? (this.#byGraph.get(subject.slice("graph:".length)) ?? this.#forgottenAt)
      : (this.#bySubject.get(subject) ?? this.#first);
    return Math.max(at, this.#allAt);
  }
}

const logs = new WeakMap<App, ChangeLog>();

/** The one of this app, which begins with the first who asks. @throws as `app.operations` */
export function changeLogOf(app: App): ChangeLog {
  const known = logs.get(app);
  if (known) return known;
  const log = new ChangeLog();
  app.operations.onChange((change) => log.note(change));
  logs.set(app, log);
  return log;
}
