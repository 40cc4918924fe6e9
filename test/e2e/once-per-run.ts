/**
 * Work that several groups of one test run need done, such as a fixture's build: the first process that asks does it, the
 * others wait for it. Groups run at the same time, and a build written anew below a server that runs from it would break that.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const out = resolve(fileURLToPath(import.meta.url), "../../..");
/** Of the run, whose number scripts/test.ts gives and whose folder it removes; of this process where it runs by itself. */
const run = process.env["SVC_TEST_RUN"];
const folder = join(out, `run-${run ?? process.pid}`);
if (run === undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const LOOK_MS = 50;
const MOST_LOOKS = 4000;

/**
 * @param name of the work, one for each run; what it leaves behind is for all
 * @throws what the work does, in the process that does it; an error that says so in the others
 */
export async function oncePerRun(name: string, work: () => Promise<unknown>): Promise<void> {
  const mark = join(folder, name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  if (!isFirst(mark)) return waitFor(mark, name);
  try {
    await work();
  } catch (error) {
    writeFileSync(join(mark, "failed"), "");
    throw error;
  }
  writeFileSync(join(mark, "done"), "");
}

/** One folder can be made once. */
function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function waitFor(mark: string, name: string): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    if (existsSync(join(mark, "done"))) return;
    if (existsSync(join(mark, "failed"))) throw new Error(`${name} has failed in another process of this run`);
    await sleep(LOOK_MS);
  }
  throw new Error(`${name} was not done by the process of this run that began it`);
}
