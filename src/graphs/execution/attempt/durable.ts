/**
 * The durable part of a worker's context: steps, state, sleeps, waits, calls. Owns what one attempt knows of them; steps.ts decides the
 * rows, and the engine commits them.
 * A waiting attempt returns its slot, and its limits stop until it waits for nothing more.
 * When the run is pausing, an attempt is aborted at its next call, once none of its steps is running.
 */
import { isDeepStrictEqual } from "node:util";
import { durationMs, type Clock, type Duration } from "../../../platform/shared/clock.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { parseWith } from "../../../platform/shared/schema.ts";
import type { NodeRow, StepKind } from "../../../storage/contract/graph-rows.ts";
import type { TransactionHandle } from "../../../storage/contract/transaction.ts";
import type { Transition } from "../../../storage/contract/transition.ts";
import type { ArtifactRows } from "../../../storage/contract/artifacts.ts";
import type { EventWaitInput, SentEventRows } from "../../../storage/contract/sent-events.ts";
import { PauseAbort, type Abort } from "./abort.ts";
import { AttemptRest } from "./attempt-rest.ts";
import { CheckLost } from "../remote/remote-signal-checks.ts";
import { requireArtifact, writeArtifact, type ArtifactData } from "./artifact.ts";
import { callName, runEnclosed, type CallOwner } from "./enclosing-call.ts";
import { validateCall, requireCallOptions } from "./validate-call.ts";
import type { ArtifactRef } from "../../definition/context-types.ts";
import type { EventDefinition, SentEvent } from "../../definition/event-types.ts";
import { eventKey, eventSignal, sentEventOf } from "../../machine/event-signal.ts";
import type {
  CallOptions,
  EventWaitOptions,
  MapCallOptions,
  SleepOptions,
  StepInfo,
  StepOptions,
} from "../../definition/context-types.ts";
import { decide } from "../../machine/decide.ts";
import { keyEpochOf } from "../../machine/node-rows.ts";
import { Keys } from "../../machine/step-id.ts";
import type { DurableMessage } from "../../machine/run-message.ts";
import { messageOf } from "../../definition/thrown.ts";
import { toJson } from "../../definition/json-value.ts";
import { readAttributeChanges, withChanges } from "../../definition/run-attributes.ts";
import type { SignalWaitOptions } from "../../definition/signal-definition.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { Kept, Machine } from "../../machine/machine.ts";
import type { Slot } from "../queue/slot.ts";
import type { StartedAttempt } from "../started-attempt.ts";
import { ReceivedEvents } from "./received-events.ts";
import { Replay } from "./replay.ts";
import { recordedError, repair, requireSameCall, stepFailure, type RecordedCall } from "./recorded-step.ts";
import { TransactionLost } from "../remote/thread-transactions.ts";
import { runStep } from "../step.ts";
import type { KeptSignal } from "../../machine/signals.ts";
import type { ValueLimits } from "../../definition/value-limits.ts";
import { eventParser, newWait, valueOf } from "./new-wait.ts";
import { isSuspended, type SuspendPolicy } from "../../machine/suspension.ts";
import { NodesWait, type Wait } from "../../machine/waits.ts";

/** Dependencies of the durable calls of one attempt. */
export interface DurableOptions {
  readonly attempt: StartedAttempt;
  readonly slot: Slot;
  readonly controller: Abort;
  readonly clock: Clock;
  readonly random: () => number;
  /** Storage of artifacts. */
  readonly artifacts: ArtifactRows;
  readonly sentEvents: SentEventRows;
  readonly values: ValueLimits;
  readonly suspend: SuspendPolicy;
}

/** A message without the fields that all messages of an attempt share. */
type RemoteContext = DurableMessage extends infer Message
  ? Message extends DurableMessage
    ? Omit<Message, "node" | "state">
    : never
  : never;

const FOREVER = Infinity;

export class Durable {
  /** Of the calls of this attempt. */
  readonly owner: CallOwner = {};
  readonly #options: DurableOptions;
  readonly #node: NodeRow;
  readonly #machine: Machine;
  readonly #limits: AttemptLimits;
  readonly #keys: Keys;
  readonly #replay: Replay;
  /** Created on first use, because most attempts wait for no event. */
  #received: ReceivedEvents | undefined;
  /** Decisions of `patched` in this attempt. */
  #patches: Map<string, Promise<boolean>> | undefined;
  #state: Record<string, Json>;
  #isStateNew = false;
  /** Number of running steps. */
  #steps = 0;
  readonly #rest: AttemptRest;
  /** Calls that arrived while the run is pausing and a step is running. */
  #held: (() => void)[] = [];

  constructor(options: DurableOptions, limits: AttemptLimits) {
    const { attempt } = options;
    this.#options = options;
    this.#node = attempt.node;
    this.#machine = attempt.run.machine;
    this.#limits = limits;
    this.#keys = new Keys(this.#node.id);
    this.#rest = new AttemptRest(attempt, options.suspend);
    this.#replay = new Replay(this.#machine.inner.ordersOf(this.#node.id));
    this.#state = { ...(this.#node.state as Record<string, Json> | undefined) };
  }

  get #events(): ReceivedEvents {
    return (this.#received ??= new ReceivedEvents(this.#options.sentEvents, this.#machine.row));
  }

  get #aborted(): Promise<never> {
    return this.#options.controller.rejection;
  }

  /** State to store with the end of the attempt; undefined: none. */
  kept(): Kept | undefined {
    return this.#isStateNew ? { state: this.#state } : undefined;
  }

  // State.

  getState(key: string): Json | undefined {
    // An object also has inherited names.
    return Object.hasOwn(this.#state, key) ? structuredClone(this.#state[key]) : undefined;
  }

  setState(key: string, value: unknown): void {
    const node = this.#node;
    const { values } = this.#options;
    const kept = toJson(value, `the state "${key}" of "${node.id}"`, values.resultBytes);
    this.#state = { ...this.#state, [key]: kept };
    this.#isStateNew = true;
    this.reported();
  }

  /** Counts a request of the attempt as work. */
  async during<T>(request: Promise<T>): Promise<T> {
    this.reported();
    this.#rest.beginWork();
    try {
      return await request;
    } finally {
      this.#rest.endWork();
    }
  }

  async checkpoint(): Promise<void> {
    this.#limits.beat();
    this.reported();
    if (this.#isStateNew) await this.#commit({ type: "checkpoint" });
    await this.#pausePoint();
  }

  // Steps.

  async step(key: string, fn: (info: StepInfo) => unknown, options: StepOptions = {}): Promise<Json> {
    const node = this.#node;
    const { clock, values } = this.#options;
    const id = this.#keys.use("step", key);
    return this.#once(id, "step", async () => {
      const startedMs = clock.now();
      const result = toJson(
        await this.#runStep(id, key, fn, options),
        `the result of the step "${key}" of "${node.id}"`,
        values.resultBytes,
      );
      await this.#commit({ type: "stepDone", id, kind: "step", result, startedMs });
      return result;
    });
  }

  async tx(run: (db: TransactionHandle) => unknown, { key }: SleepOptions = {}): Promise<Json> {
    const { clock, values, attempt } = this.#options;
    const [node, machine] = [this.#node, this.#machine];
    const id = key === undefined ? this.#keys.count("tx") : this.#keys.use("tx", key);
    const decided = (result: Json, before: Transition | undefined): Transition => {
      if (before) return repair(before, machine.node(id), result);
      this.#requireCurrent();
      const message = this.#message({ type: "stepDone", id, kind: "tx", result, startedMs: undefined });
      return decide(machine, message, clock.now()) as Transition;
    };
    const isAsync = Object.prototype.toString.call(run) === "[object AsyncFunction]";
    const kept = (value: unknown): Json => toJson(value, `the result of ctx.tx of "${node.id}"`, values.resultBytes);
    const statements = (db: TransactionHandle): Json | Promise<Json> => {
      const value = runEnclosed(this.owner, callName("tx", key), () => run(db));
      return value instanceof Promise ? value.then(kept) : kept(value);
    };
    return this.#once(id, "tx", () =>
      attempt.run.transact({ graphId: node.graphId, isAsync, statements, decide: decided }),
    );
  }

  async artifact(name: string, data: ArtifactData, type = "application/octet-stream"): Promise<ArtifactRef> {
    const node = this.#node;
    const { artifacts, clock } = this.#options;
    const id = this.#keys.use("artifact", name);
    const kept = await this.#once(id, "artifact", async () => {
      const { graphId } = node;
      requireArtifact(name, type, node.id, await artifacts.artifacts(graphId));
      const startedMs = clock.now();
      const written = await writeArtifact(artifacts, graphId, name, data, () => this.#requireCurrent());
      const { upload, ...hashed } = written;
      const ref: ArtifactRef = { name, type, ...hashed };
      const artifact = { ...ref, graphId, node: node.id, upload };
      await this.#commit({ type: "stepDone", id, kind: "artifact", result: ref, startedMs, artifact });
      return ref;
    });
    return kept as ArtifactRef;
  }

  /** Runs work that has no stored outcome yet. @param work commits what it returns. */
  async #once(id: string, kind: StepKind, work: () => Promise<Json>): Promise<Json> {
    this.#limits.beat();
    await this.#pausePoint();
    const known = this.#recorded(id, kind);
    if (known && known.status !== "pending") {
      await this.#delivered(known.doneSeq);
      if (known.status === "failed") throw recordedError(known);
      return structuredClone(known.result ?? null);
    }
    const startedMs = this.#options.clock.now();
    this.#steps++;
    this.#rest.beginWork();
    // Another call of the attempt may begin to wait meanwhile, which returns the slot.
    const busy = this.#options.slot.keepBusy();
    try {
      // After a crash it has to run again at once.
      if (isSuspended(this.#node)) await this.#commit({ type: "checkpoint" });
      const result = structuredClone(await work());
      await this.#replay.settled();
      return result;
    } catch (error) {
      await this.#recordError(id, kind, error, startedMs);
      throw error;
    } finally {
      this.#steps--;
      this.#rest.endWork();
      endInNextTurn(busy);
      this.#goOn();
      // A pause waits for this step only.
      if (this.#isPausing()) await this.#pausePoint();
    }
  }

  /** An error that the worker may catch is an outcome like a result: after a restart it takes the same way. */
  async #recordError(id: string, kind: StepKind, cause: unknown, startedMs: number): Promise<void> {
    if (this.#options.controller.reason || !this.#isCurrent() || cause instanceof TransactionLost) return;
    await this.#commit({ type: "stepFailed", id, kind, error: stepFailure(id, cause), startedMs });
    await this.#replay.settled();
  }

  /** The row of an earlier attempt. @throws FinalError if another call has recorded it. */
  #recorded(id: string, kind: RecordedCall): NodeRow | undefined {
    const row = this.#machine.inner.recorded(id);
    if (row) requireSameCall(row, id, kind);
    return row;
  }

  async #runStep(id: string, key: string, fn: (info: StepInfo) => unknown, options: StepOptions): Promise<unknown> {
    const node = this.#node;
    const { controller, clock, random } = this.#options;
    return runStep({
      fn: (info) => runEnclosed(this.owner, callName("step", key), () => fn(info)),
      options,
      clock,
      random,
      signal: controller.signal,
      idempotencyKey: [node.graphId, node.id, keyEpochOf(node), key].join("/"),
      onRetry: (error, attempt, delayMs) => {
        const data = { message: messageOf(error), attempt, due_ms: clock.now() + delayMs };
        this.#commit({ type: "stepRetrying", id, data }).catch(() => undefined);
      },
    });
  }

  async patched(name: string): Promise<boolean> {
    const patches = (this.#patches ??= new Map<string, Promise<boolean>>());
    const known = patches.get(name);
    if (known !== undefined) return known;
    const id = this.#keys.use("patched", `patch:${name}`);
    const isPatched = this.#decidePatch(id);
    patches.set(name, isPatched);
    return isPatched;
  }

  /** A run that has stored an outcome of a later call was past this point before the change. */
  async #decidePatch(id: string): Promise<boolean> {
    this.#limits.beat();
    await this.#pausePoint();
    if (this.#recorded(id, "step")) return true;
    const { clock } = this.#options;
    if ([...this.#machine.inner.callsOf(this.#node.id)].some((call) => !this.#keys.has(call))) return false;
    await this.#commit({ type: "stepDone", id, kind: "step", result: true, startedMs: clock.now() });
    await this.#replay.settled();
    return true;
  }

  /** Recorded like a step, with its changes: an attempt that makes the call again does not repeat it. */
  async setAttributes(given: unknown): Promise<void> {
    const changes = readAttributeChanges(given, this.#node.id);
    const id = this.#keys.count("attributes");
    this.#limits.beat();
    await this.#pausePoint();
    const known = this.#recorded(id, "step");
    if (known?.status === "done") {
      await this.#delivered(known.doneSeq);
      // With other changes, the code or its data differ from then: these are new.
      if (isDeepStrictEqual(known.result, changes)) return;
    }
    withChanges(this.#machine.row.attributes, changes, this.#node.id);
    await this.#commit({ type: "attributesSet", id, changes });
    await this.#replay.settled();
  }

  // Waits.

  async sleep(until: Duration | Date, { key }: SleepOptions = {}): Promise<void> {
    const dueMs = until instanceof Date ? until.getTime() : this.#options.clock.now() + durationMs(until);
    if (!Number.isFinite(dueMs)) throw new TypeError(`ctx.sleep in "${this.#node.id}" was given an invalid date`);
    const id = key === undefined ? this.#keys.count("sleep") : this.#keys.use("sleep", key);
    await this.#settle(
      "sleep",
      (wake) => newWait(this.#node, { kind: "sleep", id }, wake),
      (wait) => ({ type: "sleep", wait, dueMs }),
    );
  }

  async waitFor(name: string, { key, timeout, schema, fields }: SignalWaitOptions = {}): Promise<Json> {
    const { values } = this.#options;
    const timeoutMs = timeout === undefined ? undefined : durationMs(timeout);
    const id = key === undefined ? this.#keys.useAgain("waitFor", name) : this.#keys.use("waitFor", key);
    const parse =
      schema &&
      (async (payload: Json) => toJson(await parseWith(schema, payload), `the signal "${name}"`, values.inputBytes));
    return this.#settle(
      "wait",
      (wake) => newWait(this.#node, { kind: "signal", id, signal: name, timeout, parse, fields }, wake),
      (wait) => ({ type: "waitForSignal", wait, timeoutMs }),
    );
  }

  async waitForEvent(
    { name, schema }: EventDefinition,
    { key, timeout, match, lookback }: EventWaitOptions = {},
  ): Promise<SentEvent> {
    const { values } = this.#options;
    const timeoutMs = timeout === undefined ? undefined : durationMs(timeout);
    const lookbackMs = lookback === undefined ? 0 : durationMs(lookback);
    const counted = name.replaceAll("/", ":");
    const id = key === undefined ? this.#keys.useAgain("waitForEvent", counted) : this.#keys.use("waitForEvent", key);
    const wanted = toJson(match ?? null, `the match of "${id}"`, values.inputBytes);
    const parse = schema && eventParser(schema, name, values);
    const event = { event: name, match: wanted };
    const received = await this.#settle(
      "event",
      (wake) => newWait(this.#node, { kind: "event", id, signal: eventSignal(id), event, timeout, parse }, wake),
      (wait) => ({ type: "waitForSignal", wait, timeoutMs }),
      (wait) => this.#receiveEarlier(wait, event, lookbackMs),
    );
    // The payload of an event's signal, which svc wrote.
    const sent = received as unknown as SentEvent;
    this.#events.received(wanted, sent);
    return sent;
  }

  /** The wait is open and stored, so the engine brings every event that is sent from now on. Earlier ones are in the store. */
  async #receiveEarlier(wait: Wait, { event, match }: EventWaitInput, lookbackMs: number): Promise<void> {
    for await (const row of this.#events.earlier(event, match, lookbackMs)) {
      const payload = sentEventOf(row) as unknown as Json;
      const value = await this.#accepted(wait, payload);
      this.#requireCurrent();
      const { inner } = this.#machine;
      if (wait.outcome) return;
      const key = eventKey(wait.id, row.id);
      if (value === undefined || inner.signals.hasKey(key) || !inner.mayReceiveEvent(wait.id, row)) continue;
      const signal = { name: eventSignal(wait.id), payload, key, actor: undefined };
      return this.#options.attempt.run.request({ type: "signal", auditContext: {}, signal, wait, value });
    }
  }

  /** The worker's value of an event; undefined: the schema rejects it. */
  async #accepted(wait: Wait, payload: Json): Promise<Json | undefined> {
    try {
      return wait.parse ? await wait.parse(payload) : payload;
    } catch (error) {
      if (error instanceof CheckLost) throw error;
      return undefined;
    }
  }

  // Calls.

  async call(key: string, callable: unknown, input: unknown, options: CallOptions = {}): Promise<Json> {
    const id = this.#keys.use("call", key);
    const worker = validateCall("call", key, callable);
    requireCallOptions("call", key, options);
    const inputs = [toJson(input, `the input of "${id}"`, this.#options.values.inputBytes)];
    return this.#open(id, false, { worker, inputs, concurrency: 1, mayFail: false, ...options });
  }

  async map(key: string, items: readonly unknown[], callable: unknown, options: MapCallOptions = {}) {
    const id = this.#keys.use("map", key);
    const worker = validateCall("map", key, callable);
    requireCallOptions("map", key, options);
    const { inputBytes } = this.#options.values;
    const inputs = items.map((item, at) => toJson(item, `item ${at} of "${id}"`, inputBytes));
    const { concurrency = FOREVER, onError, ...use } = options;
    if (concurrency !== FOREVER && (!Number.isInteger(concurrency) || concurrency < 1))
      throw new TypeError(
        `ctx.map "${key}" of "${this.#node.id}" has concurrency ${concurrency}; use a whole number from 1`,
      );
    return this.#open(id, true, { worker, inputs, concurrency, mayFail: onError === "collect", ...use });
  }

  #open(id: string, isMap: boolean, options: ConstructorParameters<typeof NodesWait>[3]): Promise<Json> {
    return this.#settle(
      isMap ? "map" : "call",
      (wake) => new NodesWait(id, this.#node, isMap, options, wake),
      (wait) => ({ type: "call", wait, options }),
    );
  }

  /** @param make creates the wait. @param opening message that opens it. @param opened continues once it is open and stored. */
  async #settle<W extends Wait>(
    kind: RecordedCall,
    make: (wake: () => void) => W,
    opening: (wait: W) => RemoteContext,
    opened?: (wait: W) => Promise<void>,
  ): Promise<Json> {
    this.#limits.beat();
    let wake = (): void => undefined;
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const wait = make(wake);
    this.#rest.beginWork();
    try {
      await this.#pausePoint();
      this.#recorded(wait.id, kind);
      const known = this.#machine.inner.outcomeOf(wait);
      if (known) {
        await this.#delivered(this.#machine.inner.orderOf(wait));
        return valueOf(known, wait);
      }
      await this.#assign(wait, opening(wait));
      if (!wait.outcome) await opened?.(wait);
    } finally {
      this.#rest.endWork();
    }
    if (!wait.outcome) this.#park(wait);
    await Promise.race([woken, this.#aborted]);
    this.#rest.beginWork();
    try {
      await this.#unpark();
      // With other open waits it has no slot, but what follows this one runs all the same.
      if (this.#rest.isParked) endInNextTurn(this.#options.slot.keepBusy());
      await this.#replay.settled();
      return valueOf(wait.outcome, wait);
    } finally {
      this.#rest.endWork();
    }
  }

  /**
   * Finds the stored signal that this wait can receive, and drops those that its schema rejects.
   * @param opening message that opens the wait: sent in the turn in which no signal is left to check, so none arrives in between.
   */
  async #assign(wait: Wait, opening: RemoteContext): Promise<void> {
    const { signals } = this.#machine.inner;
    const first = () => (wait.signal === undefined ? undefined : signals.first(wait.signal));
    for (let kept = first(); kept; kept = first()) {
      signals.assign(kept, wait);
      try {
        if (wait.parse) kept.value = await wait.parse(kept.row.payload);
        break;
      } catch (error) {
        // Not rejected: the check was lost.
        if (error instanceof CheckLost) throw error;
        await this.#refuse(kept, error);
      }
    }
    await this.#commit(opening);
  }

  #refuse(signal: KeptSignal, error: unknown): Promise<void> {
    const message = `The signal "${signal.row.name}" was dropped: ${messageOf(error)}`;
    return this.#commit({ type: "signalRefused", signal, message });
  }

  /** Frees the slot for other attempts. */
  #park(wait: Wait): void {
    this.#arm(wait);
    if (!this.#rest.isParked) {
      this.#rest.isParked = true;
      this.#limits.hold();
      this.#options.slot.free();
    }
    this.#rest.began();
  }

  /** The worker has reported something, maybe beside its waits. */
  reported(): void {
    this.#rest.beside();
    // A failed commit aborts the attempt.
    if (isSuspended(this.#node) && this.#isCurrent()) this.#commit({ type: "checkpoint" }).catch(() => undefined);
  }

  #arm(wait: Wait): void {
    const { dueMs } = wait;
    if (dueMs === undefined) return;
    const { attempt } = this.#options;
    attempt.run.at(dueMs, () => this.#due(wait, dueMs));
  }

  #due(wait: Wait, dueMs: number): void {
    if (wait.outcome || !this.#isCurrent()) return;
    // A timer may fire a moment early, and the clock may be set back.
    if (this.#options.clock.now() < dueMs) return this.#arm(wait);
    wait.isOverdue = true;
    if (this.#machine.row.phase !== "running") return;
    this.#commit({ type: "waitDue", wait }).catch(() => undefined);
  }

  async #unpark(): Promise<void> {
    const [{ slot }, { inner }, node] = [this.#options, this.#machine, this.#node];
    if (this.#rest.isParked && inner.openOf(node.id) === 0) {
      await Promise.race([slot.takeAgain(), this.#aborted]);
      // Meanwhile it may wait for something else.
      if (inner.openOf(node.id) > 0) slot.free();
      else if (this.#rest.isParked) {
        this.#rest.isParked = false;
        this.#limits.resume();
      }
    }
    await this.#pausePoint();
  }

  /** Waits for the turn of a recorded outcome. Another call of the attempt may have returned its slot by then. */
  async #delivered(order: number | undefined): Promise<void> {
    const busy = this.#options.slot.keepBusy();
    await this.#replay.turnOf(order);
    endInNextTurn(busy);
  }

  // Shared.

  /** Resolves once the message's transition is committed. Rejects if that fails; the attempt is aborted then. */
  async #commit(message: RemoteContext): Promise<void> {
    this.#requireCurrent();
    return this.#options.attempt.run.request(this.#message(message));
  }

  /** Adds the state that was set since the last message. */
  #message(message: RemoteContext): DurableMessage {
    const state = this.#isStateNew ? this.#state : undefined;
    this.#isStateNew = false;
    return { ...message, node: this.#node, state };
  }

  #isPausing(): boolean {
    return this.#machine.row.phase !== "running";
  }

  async #pausePoint(): Promise<void> {
    this.#requireCurrent();
    while (this.#isPausing()) {
      if (this.#steps === 0) this.#options.controller.abort(new PauseAbort());
      else await Promise.race([new Promise<void>((resolve) => this.#held.push(resolve)), this.#aborted]);
      this.#requireCurrent();
    }
  }

  /** A step has ended: calls that waited are checked again. */
  #goOn(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  #requireCurrent(): void {
    const { controller } = this.#options;
    if (controller.reason) throw controller.reason;
    if (!this.#isCurrent()) throw new Error(`This attempt of "${this.#node.id}" has ended`);
  }

  #isCurrent(): boolean {
    const { attempt } = this.#options;
    return attempt.isRunning && attempt.isCurrent;
  }
}

/** Counts as work until the code after a call has had its turn. */
function endInNextTurn(busy: { end(): void }): void {
  setImmediate(() => busy.end());
}
