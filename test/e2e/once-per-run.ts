/**
 * Work that several groups of one test run need, such as a fixture's build: the first process does it, and the others wait. Groups
 * run concurrently, and rebuilding an app while a server runs from the build would break that server.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const out = resolve(fileURLToPath(import.meta.url), "../../..");
/** The number of the run, set by scripts/test.ts, which removes its folder. Without it, this process is the run. */
const run = process.env["SVC_TEST_RUN"];
const folder = join(out, `run-${run ?? process.pid}`);
if (run === undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const LOOK_MS = 50;
const MOST_LOOKS = 4000;

/**
 * @param name of the work, unique per run; its results are shared
 * @throws the error of the work in the process that does it, and a generic error in the others
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

/** A folder can be created only once. */
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
