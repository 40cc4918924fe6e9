/** Whether all is well, and what is not: one word for the top of the overview, with its reasons. Pure. */
import type { QueueView } from "../../graph.ts";
import type { RecentHour, Status } from "../../ops.ts";
import { SLOW_MS, slowestOf } from "./processes.ts";
import { bytesText, countText, durationText, shareText } from "./format.ts";

export interface Health {
  word: "all is well" | "needs a look" | "draining";
  tone: "good" | "warn" | "held";
  reasons: string[];
}

/** What waits longer for a place than most people do for a page. */
const LONG_WAIT_MS = 60_000;
/** A share of failures is a trouble only where it is of more than a handful. */
const LEAST_ENDED = 5;
const FAILED_SHARE = 0.1;

/** A start computes; and what is told of a minute is of no minute before. */
const SETTLED_MS = 60_000;

/** Of a database that grows by little; a copy of it may not fit any more. */
const LITTLE_DISK_BYTES = 500_000_000;

export function healthOf(
  status: Pick<Status, "status" | "disk_free_bytes" | "processes"> & {
    delivery: Pick<Status["delivery"], "oldest_waiting_ms">;
  },
  hour: RecentHour,
  queues: readonly QueueView[],
  disabledWebhooks: number,
  nowMs: number,
): Health {
  if (status.status === "draining")
    return { word: "draining", tone: "held", reasons: ["This process is coming to its end and takes no new work"] };
  const reasons: string[] = [];
  const ended = hour.done + hour.failed;
  if (ended >= LEAST_ENDED && hour.failed / ended > FAILED_SHARE)
    reasons.push(`${shareText(hour.failed, ended)} of the runs of the last hour have failed`);
  for (const { worker, oldest_ms: oldestMs, paused, waiting } of queues) {
    if (paused) reasons.push(`The queue ${worker} is paused, ${countText(waiting)} waiting`);
    else if (oldestMs !== null && oldestMs > LONG_WAIT_MS)
      reasons.push(`Work has waited ${durationText(oldestMs)} for the worker ${worker}`);
  }
  const slowest = slowestOf(status.processes.filter((process) => nowMs - process.started_ms > SETTLED_MS));
  if (slowest && slowest.loop_p99_ms >= SLOW_MS)
    reasons.push(
      `The event loop of ${slowest.host} is up to ${durationText(slowest.loop_p99_ms)} late: something computes for too long there`,
    );
  const disk = status.disk_free_bytes;
  const lateMs = status.delivery.oldest_waiting_ms;
  if (disk !== null && disk < LITTLE_DISK_BYTES)
    reasons.push(`The disk of the database has ${bytesText(disk)} left: nothing can be kept when it is full`);
  if (lateMs > LONG_WAIT_MS) reasons.push(`Deliveries to webhooks are ${durationText(lateMs)} late`);
  if (disabledWebhooks > 0)
    reasons.push(`${disabledWebhooks} webhook${disabledWebhooks === 1 ? " is" : "s are"} disabled by failures`);
  return reasons.length === 0
    ? { word: "all is well", tone: "good", reasons }
    : { word: "needs a look", tone: "warn", reasons };
}
