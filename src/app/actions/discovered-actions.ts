/** The actions that handlers import, as the compiler passes them to `createApp`, together with those that the app lists itself. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { AnyAction } from "./action.ts";

/** An action that browser code may call, found by the compiler. */
export interface DiscoveredAction {
  /** Name of its export, by which browser code calls it. */
  readonly name: string;
  /** Path of its file, relative to the app's folder. */
  readonly module: string;
  /** Its value, once all modules of the app are evaluated. */
  readonly action: () => AnyAction;
}

/**
 * @param listed `actions` of `createApp`; they override discovered ones.
 * @param called names that built browser code calls; undefined under `svc dev`, where it is built later
 * @throws SvcError `SVC_DEFINITION` if two discovered actions share a name
 */
export function withDiscovered(
  listed: Readonly<Record<string, AnyAction>>,
  discovered: readonly DiscoveredAction[],
  called: readonly string[] | undefined,
): Record<string, AnyAction> {
  const found = new Map<string, DiscoveredAction>();
  for (const one of discovered) {
    if (Object.hasOwn(listed, one.name) || called?.includes(one.name) === false) continue;
    const other = found.get(one.name);
    if (other && other.action() !== one.action())
      throw new SvcError(
        "SVC_DEFINITION",
        `Two actions are called "${one.name}", in ${other.module} and in ${one.module}. Browser code calls actions by name, so rename one export`,
      );
    found.set(one.name, one);
  }
  return { ...Object.fromEntries([...found].map(([name, { action }]) => [name, action()])), ...listed };
}
