/**
 * Numbers the changes in an app since the first subscriber, so that a page with the number of the last change it has seen learns whether it
 * is outdated. Keeps the last change of each kind and of the most recently changed graphs.
 */
import { randomInt } from "node:crypto";
import type { App } from "../../index.ts";
import type { Change } from "../../ops.ts";
import { ChangeSignal } from "./change-signal.ts";

/** Subjects that a page can show: graphs in general, one graph, queues and schedules, webhooks and deliveries, processes. */
export type Subject = "graphs" | `graph:${string}` | "controls" | "webhooks" | "processes";

/** Graphs whose last change is tracked individually. For a graph that changed earlier, pages are notified more often than necessary. */
const MOST_GRAPHS = 1000;
/** Upper bound of a random start: servers start at different numbers, so a number from another server is unknown here. */
export const MOST_FIRST = 1e14;

export class ChangeLog {
  readonly bell = new ChangeSignal();
  readonly #first: number;
  #at: number;
  /** The last change that affected everything. */
  #allAt: number;
  readonly #bySubject = new Map<string, number>();
  /** Last change by graph, in the order of these changes. */
  readonly #byGraph = new Map<string, number>();
  /** Graphs that changed up to this number are no longer tracked individually. */
  #forgottenAt: number;

  constructor(first = randomInt(MOST_FIRST)) {
    this.#first = this.#at = this.#allAt = this.#forgottenAt = first;
  }

  /** Number of the last change. */
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

  /** Whether this log issued the number, rather than another server. */
  knows(at: number): boolean {
    return at >= this.#first && at <= this.#at;
  }

  /** Whether one of these subjects has changed since then, or may have. */
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

/** The log of this app, created on first use. @throws as `app.operations` */
export function changeLogOf(app: App): ChangeLog {
  const known = logs.get(app);
  if (known) return known;
  const log = new ChangeLog();
  app.operations.onChange((change) => log.note(change));
  logs.set(app, log);
  return log;
}
