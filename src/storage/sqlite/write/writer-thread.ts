/**
 * The inside of the thread that writes: a connection of its own, on which each group is one transaction. It decides nothing and reads
 * nothing. A group that fails is undone, and it and all behind it are refused until the other side, which knows what they were made of,
 * says that it has understood: they were made on top of what failed.
 */
import { parentPort, workerData } from "node:worker_threads";
import { connect, rollBack } from "../file/connection.ts";
import type { Statement } from "../file/driver.ts";
import { ExitGate } from "../file/exit-gate.ts";
import { FileOwner } from "../file/file-owner.ts";
import type { FromWriter, Group, ToWriter, WriterData } from "./writer-messages.ts";

const { file, tenure, gate: shared } = workerData as WriterData;
const gate = new ExitGate(shared);
const driver = await connect(file);
const owner = new FileOwner(driver, file, tenure);
const commit = driver.prepare("COMMIT");
/** By their numbers; prepared when they are first called. */
const texts: string[] = [];
const statements: Statement[] = [];
let isHalted = false;

function write({ calls, asked }: Group): number[] {
  const changed: number[] = [];
  owner.begin();
  try {
    for (const [at, [statement, values]] of calls.entries()) {
      const { changes } = prepared(statement).run(...values);
      if (asked[changed.length] === at) changed.push(Number(changes));
    }
    commit.run();
    return changed;
  } catch (error) {
    rollBack(driver);
    throw error;
  }
}

function prepared(number: number): Statement {
  return (statements[number] ??= driver.prepare(texts[number] as string));
}

/** Why a group failed is not told: it is written once more where its error has an owner. */
function answer(group: Group): FromWriter {
  texts.push(...group.texts);
  if (isHalted || !gate.enter()) return "refused";
  try {
    return write(group);
  } catch {
    isHalted = true;
    return "refused";
  } finally {
    gate.leave();
  }
}

function say(message: FromWriter): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", (message: ToWriter) => {
  if (message === "go on") isHalted = false;
  else if (message === "close") {
    driver.close();
    parentPort?.close();
  } else say(answer(message));
});
say("up");
