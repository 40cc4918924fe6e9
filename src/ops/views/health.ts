/** The health of the app: one word for the top of the overview, with reasons. Pure. */
import type { QueueView } from "../../graph.ts";
import type { RecentHour, Status } from "../../ops.ts";
import { SLOW_MS, slowestOf } from "./processes.ts";
import { bytesText, countText, durationText, shareText } from "./format.ts";

export interface Health {
  word: "Healthy" | "Degraded" | "Draining";
  tone: "good" | "warn" | "held";
  reasons: string[];
}

/** A longer wait for a slot counts as degraded. */
const LONG_WAIT_MS = 60_000;
/** A share of failures counts only from this number of ended runs on. */
const LEAST_ENDED = 5;
const FAILED_SHARE = 0.1;

/** A process that has just started is busy, and its figures do not cover a whole minute yet. */
const SETTLED_MS = 60_000;

/** Below this, a copy of the database may not fit any more. */
const LITTLE_DISK_BYTES = 500_000_000;

export function healthOf(
  status: Pick<Status, "status" | "disk_free_bytes" | "processes"> & {
    graphs: Pick<Status["graphs"], "parked">;
    delivery: Pick<Status["delivery"], "oldest_waiting_ms">;
  },
  hour: RecentHour,
  queues: readonly QueueView[],
  disabledWebhooks: number,
  nowMs: number,
): Health {
  if (status.status === "draining")
    return { word: "Draining", tone: "held", reasons: ["This process is shutting down and accepts no new work"] };
  const reasons: string[] = [];
  const ended = hour.done + hour.failed;
  if (ended >= LEAST_ENDED && hour.failed / ended > FAILED_SHARE)
    reasons.push(`${shareText(hour.failed, ended)} of the runs of the last hour have failed`);
  const { parked } = status.graphs;
  if (parked > 0)
    reasons.push(
      `${countText(parked)} run${parked === 1 ? " is" : "s are"} parked: start a build with the definition of ${parked === 1 ? "this run" : "these runs"}, or cancel ${parked === 1 ? "it" : "them"}`,
    );
  for (const { worker, oldest_ms: oldestMs, paused, waiting } of queues) {
    if (paused) reasons.push(`The queue ${worker} is paused, ${countText(waiting)} waiting`);
    else if (oldestMs !== null && oldestMs > LONG_WAIT_MS)
      reasons.push(`Nodes have waited ${durationText(oldestMs)} for the worker ${worker}`);
  }
  const slowest = slowestOf(status.processes.filter((process) => nowMs - process.started_ms > SETTLED_MS));
  if (slowest && slowest.loop_p99_ms >= SLOW_MS)
    reasons.push(
      `The event-loop lag p99 of ${slowest.host} is ${durationText(slowest.loop_p99_ms)}: something blocks its event loop`,
    );
  const disk = status.disk_free_bytes;
  const lateMs = status.delivery.oldest_waiting_ms;
  if (disk !== null && disk < LITTLE_DISK_BYTES)
    reasons.push(`The disk of the database has ${bytesText(disk)} left: writes fail when it is full`);
  if (lateMs > LONG_WAIT_MS) reasons.push(`Webhook deliveries are ${durationText(lateMs)} late`);
  if (disabledWebhooks > 0)
    reasons.push(`${disabledWebhooks} webhook${disabledWebhooks === 1 ? " is" : "s are"} disabled after failures`);
  return reasons.length === 0
    ? { word: "Healthy", tone: "good", reasons }
    : { word: "Degraded", tone: "warn", reasons };
}
