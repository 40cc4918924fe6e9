/** Command line of `svc build`. */
import { appRoot, ROOT } from "../app-options.ts";
import { Command, requireNoMore } from "../command.ts";
import type { BuildTask } from "./build.ts";

export const buildCommand = new Command({
  name: "build",
  summary: "build server and browser code into dist/",
  usage: ["svc build [options]"],
  options: {
    ...ROOT,
    "public-maps": {
      type: "boolean",
      help: "serve source maps, which contain the source (default: keep them in dist/maps)",
    },
    static: { type: "boolean", help: "also write pages that need no request as files (dist/static)" },
  },
  examples: ["svc build", "svc build --root demo", "svc build --static"],
  parse(words, { root, "public-maps": publicMaps = false, static: isStatic = false }, { cwd }): BuildTask {
    requireNoMore("build", words);
    return { root: appRoot(root, cwd), publicMaps, isStatic };
  },
  load: async () => (await import("./build.ts")).build,
  rootOf: ({ root }) => root,
});
