/** Command line of `svc doctor`. */
import { Command, requireNoMore } from "../command.ts";
import type { DoctorTask } from "./doctor.ts";

export const doctorCommand = new Command({
  name: "doctor",
  summary: "report unsafe settings of this environment",
  usage: ["svc doctor [options]"],
  options: { json: { type: "boolean", help: "print JSON" } },
  notes: `Run it with the environment of "svc start". It reads variables only, not the app: an app's own "env" and security options are
not checked. It prints no secrets. The exit code is 1 if a setting is unsafe or invalid.`,
  examples: ["svc doctor", "node --env-file=.env node_modules/.bin/svc doctor --json"],
  parse(words, { json = false }, { env }): DoctorTask {
    requireNoMore("doctor", words);
    return { env, json };
  },
  load: async () => (await import("./doctor.ts")).doctor,
});
