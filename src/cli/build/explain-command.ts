/** Command line of `svc explain`. */
import { resolve } from "node:path";
import { appRoot, ROOT } from "../app-options.ts";
import { Command, requireNoMore, UsageError } from "../command.ts";
import type { ExplainTask } from "./explain.ts";

export const explainCommand = new Command({
  name: "explain",
  summary: "show server code, browser code and bundle size of a file",
  usage: ["svc explain <file.tsx> [options]"],
  options: { ...ROOT, json: { type: "boolean", help: "print JSON" } },
  examples: ["svc explain pages/todo.tsx", "svc explain pages/todo.tsx --json"],
  parse([file, ...rest], { root, json = false }, { cwd }): ExplainTask {
    if (file === undefined) throw new UsageError("svc explain needs a file");
    requireNoMore("explain", rest);
    return { root: appRoot(root, cwd), file: resolve(cwd, file), json };
  },
  load: async () => (await import("./explain.ts")).explain,
  rootOf: ({ root }) => root,
});
