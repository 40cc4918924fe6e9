/** Warns in the console about state that an edit could not preserve. */
import type { Changes, DevState } from "./hot-update.ts";

/** @param state of the new page. */
export function logLostState({ names, lost }: Changes, state: DevState): void {
  const known = new Set(state.d);
  const gone = names.filter((name) => !known.has(name));
  for (const name of gone) console.warn(`svc: ${reported(name)} was removed by this edit; its value is lost.`);
  for (const [name, why] of lost) console.warn(`svc: ${reported(name)} can't be preserved across an edit. ${why}.`);
}

/** `pages/counter.tsx Counter count 0` -> `count of Counter (pages/counter.tsx)` */
function reported(name: string): string {
  const [module, component, ...rest] = name.split(" ");
  return `"${rest.slice(0, -1).join(" ")}" of ${component || "the page"} (${module})`;
}
