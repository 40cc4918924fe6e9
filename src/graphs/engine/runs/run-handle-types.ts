/** A run as its callers hold it: its id, with the commands and results that the definition types. */
import type { Json } from "../../../platform/shared/json.ts";
import type { AuditContext, SignalOptions, UpdateOptions } from "../../definition/audit-types.ts";
import type { SignalDefinition, UpdateDefinition } from "../../definition/signal-types.ts";
import type { Snapshot } from "../../machine/view-types.ts";

/** @typeParam Output the run's result. */
export interface RunHandle<Output = Json> {
  readonly id: string;
  /**
   * Resolves with the run's result, wherever it runs; at once if it has ended. Waits until `signal` aborts.
   * @throws CallError with `reason` if the run failed or was cancelled; SvcError `SVC_NOT_FOUND`; the signal's reason
   */
  result(options?: { signal?: AbortSignal }): Promise<Output>;
  /** The run's current state. @throws SvcError `SVC_NOT_FOUND` */
  describe(): Promise<Snapshot>;
  /**
   * Sends a signal. The first `ctx.waitFor` of this signal receives it, also if it starts later.
   * @throws SvcError `SVC_INVALID` with issues if a schema rejects the value; `SVC_TRANSITION` if the run has ended; `SVC_NOT_FOUND`.
   */
  signal<Value>(
    signal: SignalDefinition<Value, unknown>,
    value: NoInfer<Value>,
    options?: SignalOptions,
  ): Promise<Snapshot>;
  signal(name: string, value?: Json, options?: SignalOptions): Promise<Snapshot>;
  /**
   * Asks the run's worker and resolves with its answer (`ctx.handleUpdate`). The request is stored, and handled once.
   * @throws SvcError `SVC_INVALID` with issues if the schema rejects the value; `SVC_UPDATE_REFUSED` with the worker's message;
   * `SVC_UPDATE_TIMEOUT` without an answer in time: call again with the same key to wait for it; `SVC_TRANSITION` if the run has ended or
   * ends without an answer; `SVC_NOT_FOUND`.
   */
  update<Value, Answer>(
    update: UpdateDefinition<Value, unknown, Answer>,
    value: NoInfer<Value>,
    options?: UpdateOptions,
  ): Promise<Answer>;
  /** Cancels the run and compensates it. @throws SvcError `SVC_TRANSITION` if the run has ended; `SVC_NOT_FOUND`. */
  cancel(auditContext?: AuditContext): Promise<Snapshot>;
  /** Ends the run at once, without compensation. @throws as `cancel` */
  terminate(auditContext?: AuditContext): Promise<Snapshot>;
}

/** The result of a start. */
export interface StartedRun<Output = Json> extends RunHandle<Output> {
  /** The run's state after the start. */
  readonly snapshot: Snapshot;
  /** Whether this call created the run. False: the idempotency key was known. */
  readonly created: boolean;
}
