/**
 * A model of the runs in `test/chaos/graph-random.test.ts`. It predicts their state after each event, from the promises of contract
 * section 4, without stores, promises or events. The graph is `first`, then one `item` for each of ITEMS, then `last`. An attempt may take
 * TIMEOUT_MS; there are up to MAX_ATTEMPTS, with RETRY_MS between them.
 */
export const ITEMS = 2;
export const TIMEOUT_MS = 5000;
export const MAX_ATTEMPTS = 2;
export const RETRY_MS = 1000;
const MAX_CRASHES = 3;

type Status = "pending" | "ready" | "running" | "retrying" | "done" | "failed" | "cancelled";

interface Node {
  status: Status;
  attempt: number;
  crashes: number;
  /** When its attempt times out or its retry is due. */
  dueMs: number;
  /** Order in which timers were set. Of two timers due at the same time the older fires first. */
  order: number;
}

export type Phase = "queued" | "running" | "pausing" | "paused" | "done" | "failed";
export type Control = "pause" | "resume" | "cancel" | "retry";

const ALLOWED: Record<Control, readonly Phase[]> = {
  pause: ["queued", "running"],
  resume: ["pausing", "paused"],
  cancel: ["queued", "running", "pausing", "paused"],
  retry: ["failed"],
};

export class GraphModel {
  phase: Phase = "queued";
  epoch = 1;
  readonly nodes = new Map<string, Node>();
  #hasBegun = false;
  /** Whether a new process has left the paused run in the store (decision 137). No timer of it fires there. */
  #isResting = false;
  #order = 0;
  readonly #dueMs: number;

  constructor(dueMs: number) {
    this.#dueMs = dueMs;
    this.nodes.set("first", newNode());
    this.nodes.set("last", newNode());
  }

  allows(control: Control): boolean {
    return ALLOWED[control].includes(this.phase);
  }

  /** The next timer and its effect. */
  next(): { atMs: number; happen: () => void } | undefined {
    if (this.phase === "done" || this.phase === "failed" || this.#isResting) return undefined;
    if (this.phase === "queued") return { atMs: this.#dueMs, happen: () => this.#begin(this.#dueMs) };
    const timers: { atMs: number; order: number; happen: () => void }[] = [];
    for (const [id, node] of this.nodes) {
      if (node.status === "running")
        timers.push({ atMs: node.dueMs, order: node.order, happen: () => this.fail(id, node.dueMs) });
      if (node.status === "retrying")
        timers.push({ atMs: node.dueMs, order: node.order, happen: () => this.#ready(node, node.dueMs) });
    }
    return timers.sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
  }

  #begin(nowMs: number): void {
    this.phase = "running";
    this.#hasBegun = true;
    this.#advance(nowMs);
  }

  #ready(node: Node, nowMs: number): void {
    node.status = "ready";
    this.#advance(nowMs);
  }

  succeed(id: string, nowMs: number): void {
    this.#node(id).status = "done";
    this.#advance(nowMs);
  }

  /** Also called when an attempt times out. */
  fail(id: string, nowMs: number): void {
    const node = this.#node(id);
    if (node.attempt >= MAX_ATTEMPTS) {
      node.status = "failed";
      return this.#end("failed");
    }
    Object.assign(node, { status: "retrying", dueMs: nowMs + RETRY_MS, order: this.#order++ });
    this.#advance(nowMs);
  }

  control(control: Control, nowMs: number): void {
    if (control === "cancel") return this.#end("failed");
    if (control === "pause") this.phase = "pausing";
    else this.phase = "running";
    if (control === "resume" && !this.#hasBegun) {
      // Before its start time it keeps waiting.
      if (nowMs < this.#dueMs) this.phase = "queued";
      else this.#begin(nowMs);
      return;
    }
    if (control === "retry") {
      this.epoch++;
      this.#hasBegun = true;
      for (const node of this.nodes.values()) if (node.status !== "done") Object.assign(node, newNode());
    }
    this.#advance(nowMs);
  }

  /** A command loads the run, even if it is rejected. Timers that were due meanwhile fire now. */
  load(nowMs: number): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    for (const node of this.nodes.values()) if (node.status === "retrying") node.dueMs = Math.max(node.dueMs, nowMs);
  }

  /** The process is killed, and another one recovers. */
  crash(nowMs: number): void {
    this.#replaceProcess();
    const running = [...this.nodes.values()].filter(({ status }) => status === "running");
    for (const node of running) Object.assign(node, { status: "ready", crashes: node.crashes + 1 });
    const poison = running.find(({ crashes }) => crashes >= MAX_CRASHES);
    if (!poison) return this.#advance(nowMs);
    poison.status = "failed";
    this.#end("failed");
  }

  /** The process stops gracefully: attempts that were running do not count. */
  stop(nowMs: number): void {
    this.#replaceProcess();
    for (const node of this.nodes.values())
      if (node.status === "running") Object.assign(node, { status: "ready", attempt: node.attempt - 1 });
    this.#advance(nowMs);
    // The old process has stored the pause when its attempts ended.
    this.#isResting = this.phase === "paused";
  }

  /** A new process sets the timers of the runs that it loads. */
  #replaceProcess(): void {
    this.#isResting = this.phase === "paused";
    for (const [, node] of [...this.nodes].sort(([a], [b]) => (a < b ? -1 : 1)))
      if (node.status === "retrying") node.order = this.#order++;
  }

  #advance(nowMs: number): void {
    if (this.phase === "queued" || this.phase === "done" || this.phase === "failed") return;
    if (this.#hasBegun) this.#makeReady();
    if (this.#node("last").status === "done") return this.#end("done");
    if (this.phase === "running") {
      for (const node of this.nodes.values())
        if (node.status === "ready")
          Object.assign(node, {
            status: "running",
            attempt: node.attempt + 1,
            dueMs: nowMs + TIMEOUT_MS,
            order: this.#order++,
          });
    }
    const isQuiet = [...this.nodes.values()].every(({ status }) => status !== "running");
    if (this.phase === "pausing" && isQuiet) this.phase = "paused";
  }

  #makeReady(): void {
    const first = this.#node("first");
    const last = this.#node("last");
    if (first.status === "pending") first.status = "ready";
    if (first.status !== "done") return;
    const ids = Array.from({ length: ITEMS }, (_, at) => `item/${at}`);
    for (const id of ids) if (!this.nodes.has(id)) this.nodes.set(id, newNode());
    const items = ids.map((id) => this.#node(id));
    for (const item of items) if (item.status === "pending") item.status = "ready";
    if (last.status === "pending" && items.every(({ status }) => status === "done")) last.status = "ready";
  }

  #end(phase: "done" | "failed"): void {
    for (const node of this.nodes.values()) if (node.status === "running") node.status = "cancelled";
    this.phase = phase;
  }

  #node(id: string): Node {
    const node = this.nodes.get(id);
    if (!node) throw new Error(`The model has no node "${id}"`);
    return node;
  }
}

function newNode(): Node {
  return { status: "pending", attempt: 0, crashes: 0, dueMs: 0, order: 0 };
}
