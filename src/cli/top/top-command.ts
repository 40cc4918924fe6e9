/** Command line of `svc top`. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import { appUrl, KEY_NOTE, RUNNING_APP } from "../app-options.ts";
import { Command, requireNoMore, UsageError } from "../command.ts";
import type { TopTask } from "./top.ts";

const INTERVAL = "2";

export const topCommand = new Command({
  name: "top",
  summary: "watch a running app: running, queued and failed runs",
  usage: ["svc top [options]"],
  options: {
    ...RUNNING_APP,
    interval: { type: "string", value: "<seconds>", help: `time between two updates (default: ${INTERVAL})` },
    times: { type: "string", value: "<count>", help: "number of updates, then the command exits" },
    json: { type: "boolean", help: "print a line of JSON for each update (default where output is not a terminal)" },
  },
  notes: `${KEY_NOTE} Ctrl-C ends the command; on a terminal, q does too.`,
  examples: ["svc top", "svc top --json --times 1 | jq .status.graphs"],
  parse(words, { json = false, url, interval = INTERVAL, times }, { env }): TopTask {
    requireNoMore("top", words);
    if (!/^\d{1,4}(\.\d)?$/.test(interval) || Number(interval) < 0.2)
      throw new UsageError(`--interval is "${interval}". It must be at least 0.2 seconds.`);
    if (times !== undefined && !/^[1-9]\d{0,6}$/.test(times))
      throw new UsageError(`--times is "${times}". It must be a whole number from 1.`);
    const limit = times === undefined ? undefined : Number(times);
    return { url: appUrl(url, env), json, intervalMs: Number(interval) * 1000, times: limit };
  },
  load: async () => {
    const [{ top }, { GraphClient }] = await Promise.all([import("./top.ts"), import("../graph/graph-client.ts")]);
    return (task, output) =>
      top(task, new GraphClient({ url: task.url, apiKey: process.env[VARIABLES.execApiKey] }), output);
  },
});
