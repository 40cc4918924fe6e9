/**
 * Sends an update to a run and waits for the answer. The request is a signal; the answer is the result of a step of the worker that handled
 * it (graphs/definition/update-definition.ts). The commit that stores the answer announces it.
 */
import { randomUUID } from "node:crypto";
import type { Clock, Duration } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { parseWith } from "../../../platform/shared/schema.ts";
import { hasEnded, type GraphEvent, type NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { UpdateOptions } from "../../definition/audit-types.ts";
import type { UpdateDefinition } from "../../definition/signal-types.ts";
import {
  ANSWER_SUFFIX,
  requestSignal,
  type RequestPayload,
  type StoredAnswer,
} from "../../definition/update-definition.ts";
import { readDuration } from "../../machine/read-duration.ts";
import type { Machine } from "../../machine/machine.ts";
import type { KeepAlive } from "./keep-alive.ts";
import type { Steps } from "./run-controls.ts";

export interface UpdateSource {
  graphs: Pick<GraphStore, "load" | "onEvents">;
  /** Active runs of this process. */
  runs: { get(graphId: string): { machine: Machine } | undefined };
  steps: Pick<Steps, "signal">;
  clock: Clock;
  keepAlive: KeepAlive;
}

export interface SentUpdate {
  graphId: string;
  update: string | UpdateDefinition<unknown, unknown, unknown>;
  value: Json;
  options: UpdateOptions;
}

const TIMEOUT: Duration = "30s";

/** Rejects as `RunHandle.update` documents. */
export async function sendUpdate(source: UpdateSource, { graphId, update, value, options }: SentUpdate): Promise<Json> {
  const name = typeof update === "string" ? update : update.name;
  if (typeof update !== "string" && update.schema) await parseWith(update.schema, value);
  const { idempotencyKey, timeout = TIMEOUT, signal, ...auditContext } = options;
  const key = idempotencyKey ?? randomUUID();
  const answer = new Answer(source, { graphId, name, key });
  const payload: RequestPayload = { key, value };
  const sent = { ...auditContext, idempotencyKey: `${requestSignal(name)}:${key}` };
  const timeoutMs = readDuration("timeout", timeout);
  try {
    await source.steps.signal(graphId, requestSignal(name), { ...payload }, sent);
    return await answer.wait({ isKnown: idempotencyKey !== undefined, timeout, timeoutMs, signal });
  } finally {
    answer.close();
  }
}

interface Asked {
  graphId: string;
  name: string;
  key: string;
}

interface Waiting {
  /** Whether an earlier call may have sent the request. */
  isKnown: boolean;
  timeout: Duration;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** The answer to one request, from before the request is sent. */
class Answer {
  readonly #source: UpdateSource;
  readonly #asked: Asked;
  readonly #answered: Promise<Json>;
  readonly #stop: () => void;
  #settle!: { resolve: (answer: Json) => void; reject: (error: unknown) => void };

  constructor(source: UpdateSource, asked: Asked) {
    this.#source = source;
    this.#asked = asked;
    this.#answered = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // If sending fails, nobody waits.
    this.#answered.catch(() => undefined);
    this.#stop = source.graphs.onEvents(asked.graphId, (events) => this.#hear(events));
  }

  async wait({ isKnown, timeout, timeoutMs, signal }: Waiting): Promise<Json> {
    const { name, graphId } = this.#asked;
    const abort = (): void => this.#settle.reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const late = new SvcError(
      "SVC_UPDATE_TIMEOUT",
      `The run ${graphId} did not answer the update "${name}" within ${timeout}. The request stays: call again with the same idempotency key to wait for the answer`,
    );
    const timer = this.#source.clock.schedule(timeoutMs, () => this.#settle.reject(late));
    if (isKnown) this.#read();
    this.#source.keepAlive.begin();
    try {
      return await this.#answered;
    } finally {
      this.#source.keepAlive.end();
      timer.cancel();
      signal?.removeEventListener("abort", abort);
    }
  }

  close(): void {
    this.#stop();
  }

  /** Another process announces changes without their events. */
  #hear(events: readonly GraphEvent[]): void {
    const { machine } = this.#source.runs.get(this.#asked.graphId) ?? {};
    for (const { type, node } of events) {
      if (type === "graph.done" || type === "graph.failed") return this.#read();
      if (type !== "node.done" || node?.endsWith(ANSWER_SUFFIX) !== true) continue;
      const row = machine?.node(node);
      if (!row) return this.#read();
      this.#take(row);
    }
    if (events.length === 0) this.#read();
  }

  #read(): void {
    this.#look().catch((error: unknown) => this.#settle.reject(error));
  }

  async #look(): Promise<void> {
    const { graphId, name } = this.#asked;
    const [stored] = await this.#source.graphs.load([graphId]);
    if (!stored) throw new SvcError("SVC_NOT_FOUND", `There is no graph "${graphId}"`);
    for (const row of stored.nodes) if (row.id.endsWith(ANSWER_SUFFIX)) this.#take(row);
    if (!hasEnded(stored.row)) return;
    // Settles nothing if the answer was among the nodes.
    this.#settle.reject(
      new SvcError("SVC_TRANSITION", `The run ${graphId} ended before it answered the update "${name}"`),
    );
  }

  #take({ status, result }: NodeRow): void {
    if (status !== "done") return;
    const answer = result as StoredAnswer | null | undefined;
    if (answer?.key !== this.#asked.key) return;
    if (answer.ok) this.#settle.resolve(structuredClone(answer.answer));
    else this.#settle.reject(new SvcError("SVC_UPDATE_REFUSED", answer.message));
  }
}
