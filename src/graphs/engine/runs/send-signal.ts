/** Sends a signal to a run: once for each idempotency key, validated by the schema of the waiting worker. */
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import { toJson } from "../../definition/json-value.ts";
import type { Machine } from "../../machine/machine.ts";
import { eventIn, stepOfEventSignal } from "../../machine/event-signal.ts";
import type { ControlMessage } from "../../machine/run-message.ts";
import type { Wait } from "../../machine/waits.ts";

interface Live {
  machine: Machine;
}

/** The message that the machine decides. */
export type SignalMessage = Pick<Extract<ControlMessage, { type: "signal" }>, "signal" | "wait" | "value">;

/** @typeParam Graph the run in memory. @typeParam Shown answer to the sender. */
export interface SignalTarget<Graph extends Live, Shown> {
  store: Pick<GraphStore, "hasSignal">;
  /** @throws SvcError `SVC_NOT_FOUND` */
  live: () => Promise<Graph>;
  /** Decides in the same turn. */
  control: (live: Graph, message: SignalMessage) => Promise<Shown>;
  snapshot: () => Promise<Shown>;
  inputBytes: number;
}

export interface SentSignal {
  graphId: string;
  name: string;
  payload: Json;
  key: string | undefined;
  actor: string | undefined;
}

const MAX_NAME_LENGTH = 100;

/** @throws SvcError `SVC_INVALID` with issues, `SVC_NOT_FOUND`, `SVC_TRANSITION`. */
export async function sendSignal<Graph extends Live, Shown>(
  target: SignalTarget<Graph, Shown>,
  { graphId, ...signal }: SentSignal,
): Promise<Shown> {
  const { name, key } = signal;
  const step = stepOfEventSignal(name);
  if (typeof name !== "string" || name === "" || (step === undefined && name.length > MAX_NAME_LENGTH))
    throw new SvcError("SVC_INVALID", `A signal needs a name of 1 to ${MAX_NAME_LENGTH} characters`);
  const payload = toJson(signal.payload, `the payload of the signal "${name}"`, target.inputBytes);
  for (let checked: Checked | undefined; ;) {
    const isOld = key !== undefined && (await target.store.hasSignal(graphId, key));
    // Read last: the store may be slow, and a fault may replace the run meanwhile.
    const live = await target.live();
    const { inner } = live.machine;
    if (isOld || (key !== undefined && inner.signals.hasKey(key))) return target.snapshot();
    // It has received another event meanwhile: this one is for its next wait, which finds it in the store. Or an earlier wait found it there.
    if (step !== undefined && !inner.mayReceiveEvent(step, eventIn(payload))) return target.snapshot();
    const wait = inner.waiterFor(name);
    // While the schema was validated, another signal may have arrived, or the wait may have ended.
    if (wait?.parse && checked?.wait !== wait) checked = { wait, value: await wait.parse(payload) };
    else {
      const value = wait && checked?.wait === wait ? checked.value : payload;
      return target.control(live, { signal: { ...signal, payload }, wait, value });
    }
  }
}

interface Checked {
  wait: Wait;
  value: Json;
}
