/** Handles of runs: each method calls the engine with the id of the run. */
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { AuditContext, SignalOptions, UpdateOptions } from "../../definition/audit-types.ts";
import type { SignalDefinition, SignalName, UpdateDefinition } from "../../definition/signal-types.ts";
import type { Snapshot } from "../../machine/view-types.ts";
import type { Engine } from "../engine-types.ts";
import type { RunHandle, StartedRun } from "./run-handle-types.ts";

type Commands = Pick<Engine, "result" | "snapshot" | "signal" | "update" | "cancel" | "terminate">;

export class Handle<Output> implements RunHandle<Output> {
  readonly id: string;
  readonly #engine: Commands;

  constructor(engine: Commands, id: string) {
    this.#engine = engine;
    this.id = id;
  }

  async result(options?: { signal?: AbortSignal }): Promise<Output> {
    // The definition's type describes the stored JSON.
    return (await this.#engine.result(this.id, options)) as Output;
  }

  async describe(): Promise<Snapshot> {
    const snapshot = await this.#engine.snapshot(this.id);
    if (snapshot) return snapshot;
    throw new SvcError("SVC_NOT_FOUND", `There is no graph "${this.id}"`);
  }

  signal<Value>(
    signal: SignalDefinition<Value, unknown>,
    value: NoInfer<Value>,
    options?: SignalOptions,
  ): Promise<Snapshot>;
  signal(name: string, value?: Json, options?: SignalOptions): Promise<Snapshot>;
  signal(signal: SignalName, value?: unknown, options?: SignalOptions): Promise<Snapshot> {
    return this.#engine.signal(this.id, signal as string, value as Json, options);
  }

  update<Value, Answer>(
    update: UpdateDefinition<Value, unknown, Answer>,
    value: NoInfer<Value>,
    options?: UpdateOptions,
  ): Promise<Answer> {
    return this.#engine.update(this.id, update, value, options);
  }

  terminate(auditContext?: AuditContext): Promise<Snapshot> {
    return this.#engine.terminate(this.id, auditContext);
  }

  cancel(auditContext?: AuditContext): Promise<Snapshot> {
    return this.#engine.cancel(this.id, auditContext);
  }
}

export class Started<Output> extends Handle<Output> implements StartedRun<Output> {
  readonly snapshot: Snapshot;
  readonly created: boolean;

  constructor(engine: Commands, { snapshot, created }: Pick<StartedRun, "snapshot" | "created">) {
    super(engine, snapshot.graph_id);
    this.snapshot = snapshot;
    this.created = created;
  }
}
