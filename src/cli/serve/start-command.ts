/** Command line of `svc start`. */
import { appRoot, LISTEN, readPort, ROOT } from "../app-options.ts";
import { Command, requireNoMore } from "../command.ts";
import type { StartTask } from "./start.ts";

export const startCommand = new Command({
  name: "start",
  summary: "serve the build that svc build wrote",
  usage: ["svc start [options]"],
  options: {
    ...ROOT,
    ...LISTEN,
    role: {
      type: "string",
      value: "<role>",
      help: "web: serve; worker: run graphs and deliver webhooks; all (default): both",
    },
    workers: { type: "string", value: "<names>", help: "run nodes of these workers only, such as gpu,resize" },
  },
  examples: [
    "svc start",
    "PORT=8080 svc start",
    "NODE_ENV=development svc start",
    "svc start --role=worker --workers=gpu",
  ],
  parse(words, { root, host, port, role, workers }, { cwd }): StartTask {
    requireNoMore("start", words);
    return { root: appRoot(root, cwd), host, port: readPort(port), role, workers };
  },
  load: async () => (await import("./start.ts")).start,
  rootOf: ({ root }) => root,
});
