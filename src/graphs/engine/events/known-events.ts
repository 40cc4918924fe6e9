/** The events that an engine knows, by name: those of its graphs, and those of its option `events`. */
import { SvcError } from "../../../platform/shared/errors.ts";
import { requireListedEvents } from "../../definition/event-checks.ts";
import type { EventDefinition } from "../../definition/event-types.ts";
import type { Registry } from "../registry.ts";

/** @throws SvcError `SVC_DEFINITION` if two events of one name have different schemas. */
export function knownEvents(registry: Registry, listed: readonly EventDefinition[]): Map<string, EventDefinition> {
  requireListedEvents(listed);
  const known = new Map<string, EventDefinition>();
  const definitions = [...registry.all().values()].flat();
  const named = definitions.flatMap(({ options: { on, cancelOn = [] } }) => [
    ...(on ? [on] : []),
    ...cancelOn.map(({ event }) => event),
  ]);
  for (const one of [...listed, ...named]) {
    const other = known.get(one.name);
    if (other?.schema && one.schema && other.schema !== one.schema)
      throw new SvcError(
        "SVC_DEFINITION",
        `Two events are named "${one.name}" and have different schemas; use one definition`,
      );
    if (!other?.schema) known.set(one.name, one);
  }
  return known;
}
