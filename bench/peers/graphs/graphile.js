/** A chain by hand: each job adds the next. Nothing joins jobs, so there is no fan-out. Of several processes each has tasks of its own. */
import { Logger, makeWorkerUtils, run } from "graphile-worker";

const NEXT = { first: "second", second: "third" };

export async function open({ postgres }, member) {
  const waiting = new Map();
  const logger = new Logger(() => () => undefined);
  const task = (name) => async (payload, helpers) => {
    const n = payload.n + 1;
    if (NEXT[name]) return void (await helpers.addJob(NEXT[name] + member, { ...payload, n }));
    waiting.get(payload.id)(n);
    waiting.delete(payload.id);
  };
  const taskList = Object.fromEntries(["first", "second", "third"].map((name) => [name + member, task(name)]));
  const options = { connectionString: postgres, logger };
  const runner = await run({ ...options, taskList, concurrency: 32, noHandleSignals: true, maxPoolSize: 40 });
  const utils = await makeWorkerUtils(options);
  let ids = 0;
  return {
    async chain(n) {
      const id = ++ids;
      const ended = new Promise((resolve) => waiting.set(id, resolve));
      await utils.addJob(`first${member}`, { id, n });
      return ended;
    },
    async close() {
      await runner.stop();
      await utils.release();
    },
  };
}
