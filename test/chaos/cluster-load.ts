/** Starts runs of several graphs on a cluster, a few at a time, and follows some of them. Records the acknowledged ones. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterClient } from "./cluster-client.ts";

const KINDS = ["chain", "fan", "approval", "wide"] as const;
/** One of this many runs is followed to its end, which is enough to notice gaps in the events. */
const FOLLOWED_EACH = 25;
const AT_ONCE = 10;
/** Time for followers to receive the last events after all runs have ended. */
const LAST_MS = 20_000;

export class ClusterLoad {
  readonly #client: ClusterClient;
  /** Ids of runs whose start was acknowledged. */
  readonly acknowledged = new Set<string>();
  readonly #followers: Promise<string | undefined>[] = [];
  readonly #closing = new AbortController();

  constructor(client: ClusterClient) {
    this.#client = client;
  }

  get followed(): number {
    return this.#followers.length;
  }

  /** @param seconds over which to spread the starts. */
  async start(graphs: number, seconds: number): Promise<void> {
    for (let next = 0; next < graphs; next += AT_ONCE) {
      const slice = Array.from({ length: Math.min(AT_ONCE, graphs - next) }, (_, at) => next + at);
      await Promise.all(slice.map((number) => this.#startOne(number)));
      await sleep((seconds * 1000) / (graphs / AT_ONCE));
    }
  }

  async #startOne(number: number): Promise<void> {
    const worker = KINDS[number % KINDS.length] as string;
    const body = { worker, input: number, idempotency_key: `chaos-${number}` };
    const { graph_id: id = "" } = await this.#client.insist("/_svc/graphs", body);
    this.acknowledged.add(id);
    if (number % FOLLOWED_EACH === 0) this.#followers.push(this.#client.follow(id, this.#closing.signal));
    if (worker !== "approval") return;
    await this.#client.insist(`/_svc/graphs/${id}/signal`, { name: "go", payload: null, idempotency_key: "go" });
  }

  /** The errors that followers saw. */
  async misled(): Promise<string[]> {
    const timer = setTimeout(() => this.#closing.abort(), LAST_MS);
    const all = await Promise.all(this.#followers);
    clearTimeout(timer);
    return all.filter((text) => text !== undefined);
  }

  close(): void {
    this.#closing.abort();
  }
}
