/** The methods of the engine that return handles of runs. */
import type { Json } from "../../platform/shared/json.ts";
import type { SignalWithStartOptions, StartOptions } from "../definition/audit-types.ts";
import type { GraphDefinition, Worker } from "../definition/definition-types.ts";
import { checkedSignal } from "../definition/signal-definition.ts";
import type { Engine } from "./engine-types.ts";
import { Handle, Started } from "./runs/run-handle.ts";
import type { NewGraphs } from "./runs/start-run.ts";

type Given = string | GraphDefinition | Worker<never, unknown>;

export type HandleArguments = [graphId: string] | [definition: Given, graphId: string];

/** @param engine the complete engine, which does not exist yet. */
export function startsOf(
  newGraphs: NewGraphs,
  engine: () => Engine,
): Pick<Engine, "start" | "signalWithStart" | "getHandle"> {
  return {
    start: async (given: Given, input: unknown, options?: StartOptions) =>
      new Started<never>(engine(), await newGraphs.start(given, input as Json, options)),
    signalWithStart: async (given: Given, input: unknown, options: SignalWithStartOptions<never>) =>
      new Started<never>(
        engine(),
        await signalWithStart(newGraphs, engine(), { given, input: input as Json, options }),
      ),
    getHandle: (...given: HandleArguments) => handleOf(engine(), ...given),
  };
}

/** A handle of an existing run; the definition is only for its type. */
export function handleOf(engine: Engine, ...given: HandleArguments): Handle<never> {
  return new Handle<never>(engine, given.at(-1) as string);
}

async function signalWithStart(
  newGraphs: NewGraphs,
  engine: Engine,
  { given, input, options }: { given: Given; input: Json; options: SignalWithStartOptions<never> },
): ReturnType<NewGraphs["start"]> {
  const { signal, value, signalKey: key, ...starting } = options;
  const name = await checkedSignal(signal, value);
  const payload: Json = value;
  const sent = { name, payload, key, actor: starting.by };
  const started = await newGraphs.start(given, input, starting, { signal: sent });
  if (started.created) return started;
  const { by, note, address } = starting;
  const snapshot = await engine.signal(started.snapshot.graph_id, name, payload, {
    ...(by !== undefined && { by }),
    ...(note !== undefined && { note }),
    ...(address !== undefined && { address }),
    ...(key !== undefined && { idempotencyKey: key }),
  });
  return { snapshot, created: false };
}
