/**
 * `svc`: reads the command line, runs one command and sets the exit code. 0: success. 1: the command failed. 2: usage error.
 */
import { VERSION } from "../platform/package/manifest.ts";
import type { Job } from "./command.ts";
import { readCommandLine } from "./command-table.ts";
import { errorText, viteDamage } from "./error-text.ts";
import { createOutput } from "./output.ts";

// A reader that has enough closes the pipe, as `head` does. That is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
const output = createOutput();
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const reading = readCommandLine(args, { cwd: process.cwd(), env: process.env, nowMs: Date.now() });
  switch (reading.kind) {
    case "run":
      return runJob(reading.task);
    case "usageError":
      output.error(reading.text);
      return 2;
    case "version":
      output.line(VERSION);
      return 0;
    case "help":
      output.line(reading.text);
      return 0;
  }
}

async function runJob(job: Job): Promise<number> {
  try {
    return (await job.run(output)) ?? 0;
  } catch (error) {
    output.error(`${output.style("red", "Error")} ${await describe(error, job.root)}`);
    return 1;
  }
}

async function describe(error: unknown, root: string | undefined): Promise<string> {
  const damage = await viteDamage(error, () => import("vite"));
  if (damage !== undefined) return damage;
  if (root === undefined) return errorText(error);
  const { errorWithSource } = await import("./error-with-source.ts");
  return errorWithSource(error, root);
}
