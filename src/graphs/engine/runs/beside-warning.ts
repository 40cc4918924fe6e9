/** Warns of workers that go on beside a recorded wait: after a restart, that code starts only when the wait is over (decision 145). */
import type { Log } from "../../../platform/shared/log.ts";
import type { InboxMessage } from "../../execution/active-run.ts";
import { isSuspended } from "../../machine/suspension.ts";

/** Messages by which a wait ends or an attempt is stopped from outside. */
const OTHERS: readonly InboxMessage["type"][] = [
  "waitDue",
  "nodeInterrupted",
  "nodeCrashed",
  "slotGranted",
  "retryDue",
];

export class BesideWarning {
  readonly #log: Log;
  readonly #warned = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Called before the message is decided. Warns once for each worker. */
  check(message: InboxMessage): void {
    if (!("node" in message) || typeof message.node !== "object" || !isSuspended(message.node)) return;
    const { worker, graphId, id } = message.node;
    if (OTHERS.includes(message.type) || this.#warned.has(worker)) return;
    this.#warned.add(worker);
    this.#log.warn(
      { worker, graphId, node: id },
      `The worker "${worker}" went on while ctx still waited for it. After a restart, svc calls it again only when such a wait is over. If it has to be called at once, set suspend: false.`,
    );
  }
}
