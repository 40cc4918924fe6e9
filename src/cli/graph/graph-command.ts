/** Command line of `svc graph`. */
import { didYouMean } from "../../platform/shared/did-you-mean.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import { appUrl, KEY_NOTE } from "../app-options.ts";
import { Command, UsageError } from "../command.ts";
import { EXIT_CODES, foreignOption, GRAPH_OPTIONS, isNamed, isVerb, verbLines, VERBS } from "./graph-options.ts";
import { taskOf } from "./graph-task.ts";
import type { GraphCommand } from "./graph.ts";

export const graphCommand = new Command({
  name: "graph",
  summary: "list, start and control the runs of a running app",
  usage: ["svc graph <verb> [options]"],
  introduction: verbLines(),
  options: GRAPH_OPTIONS,
  notes: `${KEY_NOTE}\n${EXIT_CODES}`,
  examples: [
    "svc graph start audit --input @lockfile.json --follow",
    "svc graph ls --status failed",
    'svc graph cancel g_… --note "wrong input"',
    "svc graph bulk retry --status failed --error ECONNREFUSED --since 24h --yes",
  ],
  parse(words, values, { cwd, env, nowMs }): GraphCommand {
    const [verb, target, ...others] = words;
    if (verb === undefined) throw new UsageError(`No verb given. Verbs: ${Object.keys(VERBS).join(", ")}`);
    if (!isVerb(verb)) throw new UsageError(unknownVerb(verb));
    const [name, ...rest] = isNamed(verb) ? others : [undefined, ...others];
    if (rest.length > 0) throw new UsageError(`svc graph ${verb} takes no argument "${rest[0]}"`);
    const foreign = foreignOption(verb, values);
    if (foreign !== undefined) throw new UsageError(`svc graph ${verb} takes no --${foreign}`);
    const task = taskOf(verb, target, name, values, { cwd, nowMs });
    return { task, url: appUrl(values.url, env), json: values.json ?? false };
  },
  load: async () => {
    const [{ graph }, { GraphClient }] = await Promise.all([import("./graph.ts"), import("./graph-client.ts")]);
    return (command, output) =>
      graph(command, new GraphClient({ url: command.url, apiKey: process.env[VARIABLES.execApiKey] }), output);
  },
});

function unknownVerb(verb: string): string {
  const verbs = Object.keys(VERBS);
  const meant = didYouMean(verb, verbs);
  return `svc graph has no verb "${verb}"; ${meant === undefined ? `it has ${verbs.join(", ")}` : `did you mean "${meant}"?`}`;
}
