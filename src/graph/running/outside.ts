/** The end of a worker that runs away from its graph, in a thread or in another process, where the graph is; the other one is inside.ts. */
import type { Worker } from "../definition/definition-types.ts";
import {
  errorMessage,
  errorOf,
  type Asked,
  type FromThread,
  type Settlement,
  type Told,
  type ToThread,
} from "./thread-messages.ts";
import type { ThreadTransactions } from "./thread-transactions.ts";
import type { WorkerContext } from "../definition/worker-types.ts";

/**
 * Does what the worker asks of its context.
 * @param post says something to the other end. @param workerNamed those that it may call.
 */
export function listener(
  post: (message: ToThread) => void,
  ctx: WorkerContext,
  transactions: ThreadTransactions,
  workerNamed: (name: string) => Worker<never, unknown> | undefined,
) {
  const steps = new Map<number, (settlement: Settlement) => void>();
  const ask = (method: Asked, id: number, args: never[]): Promise<unknown> => {
    const [first, second, third, fourth] = args as [never, never, never, never];
    if (method === "checkpoint") return ctx.checkpoint();
    if (method === "sleep") return ctx.sleep(first, second);
    if (method === "artifact") return ctx.artifact(first, second, third);
    if (method === "waitFor") return ctx.waitFor(first, second);
    if (method === "call") return ctx.call(first, known(second), third, fourth);
    if (method === "tx") return ctx.tx(async (db) => transactions.begin(id, db), first);
    if (method === "map") return ctx.map(first, second, known(third), fourth);
    const inThread = (idempotencyKey: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        steps.set(id, (settlement) =>
          "error" in settlement ? reject(errorOf(settlement.error)) : resolve(settlement.value),
        );
        post({ type: "step", id, idempotencyKey });
      });
    return ctx.step(first, (info) => inThread(info.idempotencyKey), second);
  };
  const known = (name: string): never => {
    const worker = workerNamed(name);
    if (!worker) throw new Error(`The worker "${name}" is called from elsewhere: list it in the app's workers`);
    return worker as never;
  };
  const settled = async (run: () => Promise<unknown>): Promise<Settlement> => {
    try {
      return { value: await run() };
    } catch (error) {
      return { error: errorMessage(error) };
    }
  };
  return (message: Exclude<FromThread, { type: "ended" }>): void => {
    if (message.type === "told") return tell(ctx, message.method, message.args as never[]);
    if (message.type === "query") return void transactions.query(message);
    const { id } = message;
    if (message.type === "stepped") {
      if (transactions.ended(id, message.settlement)) return;
      steps.get(id)?.(message.settlement);
      return void steps.delete(id);
    }
    const { method, args } = message;
    void settled(async () => ask(method, id, args as never[])).then((settlement) =>
      post({ type: "settled", id, settlement }),
    );
  };
}

/** What it tells, as it told it. */
function tell(ctx: WorkerContext, method: Told, args: never[]): void {
  const [first, second] = args as [never, never];
  if (method === "heartbeat") ctx.heartbeat();
  else if (method === "log") ctx.log(first, second);
  else if (method === "emit") ctx.emit(first, second);
  else if (method === "progress") ctx.progress(first, second);
  else ctx.state.set(first, second);
}
