/**
 * The context of a worker. Most workers use few of its methods, so each is created on first use: the getters are on the prototype. The
 * methods need no `this`, so a worker may destructure the context.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { AttemptOptions, AttemptSink } from "./attempt-options.ts";
import { requireEvent } from "../../definition/event.ts";
import type { EventDefinition } from "../../definition/event-types.ts";
import type {
  DurableCalls,
  EventWaitOptions,
  HandleUpdateOptions,
  MapCallOptions,
  WaitOptions,
} from "../../definition/context-types.ts";
import { Durable } from "./durable.ts";
import { MAX_LOG_LENGTH, toJson } from "../../definition/json-value.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { Kept } from "../../machine/machine.ts";
import { keyEpochOf } from "../../machine/node-rows.ts";
import { waitArguments } from "../../definition/signal-definition.ts";
import type { SignalName, UpdateDefinition } from "../../definition/signal-types.ts";
import { handleUpdate, type UpdateCounts } from "../../definition/update-definition.ts";
import { summaryOf } from "../../definition/summary.ts";
import type { WorkerContext } from "../../definition/worker-types.ts";
import { beginCall } from "./begin-call.ts";
import { callName, requireOutside } from "./enclosing-call.ts";
import type { ToolCalls } from "./worker-tools.ts";

export class AttemptContext implements WorkerContext {
  readonly graphId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly deps: Record<string, Json>;
  readonly #keyEpoch: number;
  readonly #options: AttemptOptions;
  readonly #limits: AttemptLimits;
  #durableCalls: Durable | undefined;
  #tools: ToolCalls | undefined;
  #updates: UpdateCounts | undefined;

  constructor(options: AttemptOptions, limits: AttemptLimits) {
    const { node, deps } = options;
    this.graphId = node.graphId;
    this.nodeId = node.id;
    // Values at the start. The row changes with the run.
    this.attempt = node.attempt;
    this.epoch = node.epoch;
    this.#keyEpoch = keyEpochOf(node);
    this.deps = deps;
    this.#options = options;
    this.#limits = limits;
  }

  /** State to store with the end of the attempt; undefined: none. */
  static kept(context: AttemptContext): Kept | undefined {
    return context.#durableCalls?.kept();
  }

  get #durable(): Durable {
    if (this.#durableCalls) return this.#durableCalls;
    const { durable } = this.#options;
    if (!durable) throw new Error(`The compensation of "${this.nodeId}" has no durable calls`);
    return (this.#durableCalls = new Durable(durable, this.#limits));
  }

  get #toolCalls(): ToolCalls {
    const { tools, controller } = this.#options;
    return (this.#tools ??= tools.calls(controller.signal));
  }

  /** A report or a request, also beside a wait. */
  #beat(): void {
    this.#limits.beat();
    this.#durableCalls?.reported();
  }

  #event(type: Parameters<AttemptSink["event"]>[0], data: Json): void {
    this.#beat();
    this.#options.sink.event(type, data);
  }

  get signal(): AbortSignal {
    return this.#options.controller.signal;
  }

  get idempotencyKey(): WorkerContext["idempotencyKey"] {
    return (part) => [this.graphId, this.nodeId, this.#keyEpoch, ...(part === undefined ? [] : [part])].join("/");
  }

  get heartbeat(): WorkerContext["heartbeat"] {
    return () => this.#beat();
  }

  /** Converts any value to text, because a log line must not fail the node. */
  get log(): WorkerContext["log"] {
    return (level, message) =>
      this.#event("log", { level: String(level), message: String(message).slice(0, MAX_LOG_LENGTH) });
  }

  get emit(): WorkerContext["emit"] {
    return (name, data) =>
      this.#event("custom", { name, data: toJson(data, `the data of "${name}"`, this.#options.values.eventBytes) });
  }

  get progress(): WorkerContext["progress"] {
    return (value, note) => {
      this.#beat();
      // NaN, as of an empty list. Progress must not fail the node.
      if (!Number.isFinite(value)) return;
      this.#options.sink.progress(Math.min(1, Math.max(0, value)), note === undefined ? undefined : summaryOf(note));
    };
  }

  get summary(): WorkerContext["summary"] {
    return (text) => {
      this.#beat();
      this.#options.sink.summary(summaryOf(text));
    };
  }

  get fetch(): WorkerContext["fetch"] {
    return (url, init) =>
      beginCall(() => {
        const answer = this.#toolCalls.fetch(url, init);
        return this.#options.durable ? this.#durable.during(answer) : answer;
      });
  }

  get state(): WorkerContext["state"] {
    return {
      get: (key: string) => this.#durable.getState(key),
      set: (key: string, value) => this.#durable.setState(key, value),
    };
  }

  // Durable calls. The worker's code has types; here all values are JSON.

  /** Begins a durable call. @param key if it has one, for the message of an error. */
  #begin<Result>(method: string, key: unknown, call: (durable: Durable) => Result | Promise<Result>): Promise<Result> {
    return beginCall(() => {
      const durable = this.#durable;
      requireOutside(durable.owner, callName(method, key));
      return call(durable);
    });
  }

  get checkpoint(): DurableCalls["checkpoint"] {
    return () => this.#begin("checkpoint", undefined, (durable) => durable.checkpoint());
  }

  get step(): DurableCalls["step"] {
    return ((key, fn, options) =>
      this.#begin("step", key, (durable) => durable.step(key, fn, options))) as DurableCalls["step"];
  }

  get tx(): DurableCalls["tx"] {
    return ((run, options) =>
      this.#begin("tx", options?.key, (durable) => durable.tx(run, options))) as DurableCalls["tx"];
  }

  get artifact(): DurableCalls["artifact"] {
    return (name, data, type) => this.#begin("artifact", name, (durable) => durable.artifact(name, data, type));
  }

  get setAttributes(): DurableCalls["setAttributes"] {
    return (changes) => this.#begin("setAttributes", undefined, (durable) => durable.setAttributes(changes));
  }

  get sleep(): DurableCalls["sleep"] {
    return (until, options) => this.#begin("sleep", options?.key, (durable) => durable.sleep(until, options));
  }

  get waitFor(): DurableCalls["waitFor"] {
    return ((signal: SignalName, options?: WaitOptions) =>
      beginCall(() => {
        const [name, given] = waitArguments(signal, options);
        return this.#begin("waitFor", name, (durable) => durable.waitFor(name, given));
      })) as DurableCalls["waitFor"];
  }

  get waitForEvent(): DurableCalls["waitForEvent"] {
    return ((event: EventDefinition, options?: EventWaitOptions) =>
      beginCall(() => {
        const definition = requireEvent(event);
        return this.#begin("waitForEvent", definition.name, (durable) => durable.waitForEvent(definition, options));
      })) as DurableCalls["waitForEvent"];
  }

  get handleUpdate(): DurableCalls["handleUpdate"] {
    return ((update: UpdateDefinition<unknown, unknown, unknown>, handler: never, options?: HandleUpdateOptions) =>
      this.#begin("handleUpdate", update.name, () =>
        handleUpdate(this, (this.#updates ??= new Map()), { update, handler, options }),
      )) as DurableCalls["handleUpdate"];
  }

  get patched(): DurableCalls["patched"] {
    return (name) => this.#begin("patched", name, (durable) => durable.patched(name));
  }

  get call(): DurableCalls["call"] {
    return ((key, worker, input, options) =>
      this.#begin("call", key, (durable) => durable.call(key, worker, input, options))) as DurableCalls["call"];
  }

  get map(): DurableCalls["map"] {
    return ((key: string, items: readonly unknown[], worker: object, options?: MapCallOptions) =>
      this.#begin("map", key, (durable) => durable.map(key, items, worker, options))) as DurableCalls["map"];
  }
}
