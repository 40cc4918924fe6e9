/**
 * The process of test/chaos/graph-bomb.test.ts. It recovers the runs in the database of its first argument, starts one whose worker kills
 * the process as soon as it is called, and prints the error of that run.
 */
import { createEngine, openStore, systemClock, worker } from "svckit/graph";

/** Name of the worker, and therefore of its node. */
export const BOMB = "bomb";

const bomb = worker(BOMB, () => void process.kill(process.pid, "SIGKILL"));

async function main(url: string): Promise<void> {
  const store = await openStore(url);
  const engine = createEngine({ store, clock: systemClock, workers: [bomb], outboxRows: () => [] });
  await engine.recover();
  const { snapshot } = await engine.start(BOMB, null, { idempotencyKey: "the bomb" });
  await engine.idle();
  console.log(JSON.stringify((await engine.snapshot(snapshot.graph_id))?.error));
  await engine.close();
  await store.close();
}

const [, , url] = process.argv;
// The test imports this file too, possibly with arguments of its own.
if (url?.startsWith("sqlite:")) await main(url);
