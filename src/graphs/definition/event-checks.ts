/** Validates the options of a graph about events. */
import { checkKeys, refused, requireObject, shown } from "./definition-checks.ts";
import type { StoredGraphOptions } from "./definition-types.ts";
import { isEvent } from "./event.ts";

/** @throws SvcError `SVC_DEFINITION` */
export function checkGraphEvents(name: string, { on, cancelOn }: StoredGraphOptions): void {
  const what = `The graph "${name}"`;
  checkEvent(what, "on", on);
  checkCancelOn(what, cancelOn);
}

function checkEvent(what: string, option: string, value: unknown): void {
  if (value !== undefined && !isEvent(value))
    throw refused(`${what} has ${option} ${shown(value)}; use an event, such as event("ticket.created")`);
}

function checkCancelOn(what: string, value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value))
    throw refused(`${what} has cancelOn ${shown(value)}; use a list such as [{ event: orderCancelled }]`);
  for (const one of value as unknown[]) {
    requireObject(what, "cancelOn", one, " such as { event: orderCancelled }");
    const { event: given, match } = one as { event?: unknown; match?: unknown };
    checkKeys(`${what}, in cancelOn,`, one as object, ["event", "match"]);
    if (given === undefined) throw refused(`${what} lacks cancelOn.event`);
    checkEvent(what, "cancelOn.event", given);
    if (match !== undefined && typeof match !== "function")
      throw refused(
        `${what} has cancelOn.match ${shown(match)}; use a function from the run's input to fields of the event`,
      );
  }
}

/** @throws SvcError `SVC_DEFINITION` */
export function requireListedEvents(events: readonly unknown[]): void {
  for (const one of events)
    if (!isEvent(one))
      throw refused(`"events" has ${shown(one)} instead of an event; use the return value of event(…)`);
}
