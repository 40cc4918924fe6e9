/** `svc top`: reads the state of a running app at an interval and prints it: as a screen on a terminal, as JSON lines otherwise. */
import type { ScheduleView } from "../../graphs/schedules/schedule-types.ts";
import type { Snapshot } from "../../graphs/machine/view-types.ts";
import type { ClusterQueue, Status } from "../../app/observability/operations-types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import type { GraphClient } from "../graph/graph-client.ts";
import type { Output } from "../output.ts";
import { topLines, type Room, type TopView } from "./top-text.ts";

export interface TopTask {
  /** Address of the app. */
  url: string;
  /** Prints a line of JSON each time, also on a terminal. */
  json: boolean;
  intervalMs: number;
  /** Number of updates; undefined: until the command is stopped. */
  times: number | undefined;
}

/** Number of runs and failures to request. More do not fit on a screen. */
const MOST = 20;
/** Switches to the terminal's alternate screen and hides the cursor, so that the old content comes back afterwards. */
const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
/** Moves to the top and clears the rest of the line and the screen. */
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_REST = "\u001b[J";
const ROOM: Room = { columns: 100, rows: 30 };

/** Codes of a server that can't be reached, and of a proxy before it. */
const AWAY: ReadonlySet<string> = new Set(["SVC_UNAVAILABLE", "SVC_INTERNAL"]);

/** The terminal, so that tests can replace it. */
export interface Terminal {
  write(text: string): void;
  /** Current size. */
  room(): Room;
  /** Waits. Resolves with true if the user ended the command meanwhile. */
  wait(ms: number): Promise<boolean>;
  close(): void;
}

/** @returns the exit code. @throws SvcError if the server refuses the first request. */
export async function top(
  { url, json, intervalMs, times }: TopTask,
  client: GraphClient,
  output: Output,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const style: Output["style"] = (name, text) => output.style(name, text);
  const isScreen = output.isInteractive && !json;
  let view = await look(client);
  if (isScreen) terminal.write(ENTER);
  try {
    for (let shown = 1; ; shown++) {
      if (isScreen) terminal.write(screenOf(topLines(url, view, terminal.room(), style)));
      else output.line(JSON.stringify(view));
      if (shown === times || (await terminal.wait(intervalMs))) return 0;
      view = isScreen ? await lookAgain(client, view) : await look(client);
    }
  } finally {
    if (isScreen) terminal.write(LEAVE);
    terminal.close();
  }
}

async function look(client: GraphClient): Promise<TopView> {
  const [status, { queues }, { schedules }, failed, running] = await Promise.all([
    client.get<Status>(PATHS.status),
    client.get<{ queues: ClusterQueue[] }>(PATHS.queues),
    client.get<{ schedules: ScheduleView[] }>(PATHS.schedules),
    client.get<{ graphs: Snapshot[] }>(`${PATHS.graphs}?status=failed&limit=${MOST}`),
    client.get<{ graphs: Snapshot[] }>(`${PATHS.graphs}?status=running&limit=${MOST}`),
  ]);
  return { at_ms: Date.now(), status, queues, schedules, failed: failed.graphs, running: running.graphs };
}

/** A server that is away for a moment, as in a deployment, does not end the command: the screen keeps the last data and says so. */
async function lookAgain(client: GraphClient, last: TopView): Promise<TopView> {
  try {
    return await look(client);
  } catch (error) {
    if (!(error instanceof SvcError && AWAY.has(error.code))) throw error;
    return { ...last, isAway: true };
  }
}

function screenOf(lines: readonly string[]): string {
  return HOME + lines.map((line) => line + CLEAR_LINE).join("\r\n") + CLEAR_REST;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout } = process;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const onKey = (key: Buffer): void => {
    // Raw mode delivers Ctrl-C as a character.
    if (["q", "\u0003", "\u001b"].includes(key.toString())) end();
  };
  process.once("SIGINT", end).once("SIGTERM", end);
  const hasKeys = stdin.isTTY && stdout.isTTY;
  if (hasKeys) stdin.setRawMode(true).on("data", onKey).resume();
  return {
    write: (text) => void stdout.write(text),
    room: () => ({ columns: stdout.columns ?? ROOM.columns, rows: stdout.rows ?? ROOM.rows }),
    wait: (ms) =>
      new Promise((resolve) => {
        if (ended.signal.aborted) return resolve(true);
        const stop = (): void => (clearTimeout(timer), resolve(true));
        const timer = setTimeout(() => {
          ended.signal.removeEventListener("abort", stop);
          resolve(false);
        }, ms);
        ended.signal.addEventListener("abort", stop, { once: true });
      }),
    close: () => {
      process.off("SIGINT", end).off("SIGTERM", end);
      if (hasKeys) stdin.off("data", onKey).setRawMode(false).pause();
    },
  };
}
