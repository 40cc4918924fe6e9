/** Command line of `svc dev`. */
import { appRoot, LISTEN, readPort, ROOT } from "../app-options.ts";
import { Command, requireNoMore } from "../command.ts";
import type { DevTask } from "./dev.ts";

export const devCommand = new Command({
  name: "dev",
  summary: "serve the app from source and reload on every change",
  usage: ["svc dev [options]"],
  options: { ...ROOT, ...LISTEN },
  examples: ["svc dev", "svc dev --port 4000"],
  parse(words, { root, host, port }, { cwd }): DevTask {
    requireNoMore("dev", words);
    return { root: appRoot(root, cwd), host, port: readPort(port) };
  },
  load: async () => (await import("./dev.ts")).dev,
  rootOf: ({ root }) => root,
});
