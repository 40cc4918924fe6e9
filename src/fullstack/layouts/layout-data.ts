/** The data of layouts for the pages inside them: `layoutData` in loaders, `useLayoutData` in components. */
import { SvcError, type Context } from "../../index.ts";
import { usePage } from "../page-scope.ts";

type Load<Data> = (ctx: never) => Data;

/** Running loaders of the layouts around the page of a request, by their function. */
const running = new WeakMap<Context, Map<unknown, Promise<unknown>>>();

/** Runs the loader of a layout or page. @returns its data; undefined without a loader */
export function runLoad(load: ((ctx: Context) => unknown) | undefined, ctx: Context): Promise<unknown> {
  const data = (async () => load?.(ctx))();
  if (load === undefined) return data;
  const all = running.get(ctx) ?? new Map<unknown, Promise<unknown>>();
  running.set(ctx, all.set(load, data));
  return data;
}

/**
 * The data of a layout around this page, for its loader. Loaders run in parallel, so this waits for the layout's.
 * @param load the `load` of the layout, imported from its `_layout.tsx`
 * @throws SvcError `SVC_DEFINITION` if no layout around the page has this loader; rejects with the loader's error
 * @example
 * import type { Context } from "svckit";
 * // The page imports it from its _layout.tsx.
 * const loadTeam = async () => ({ team: "Blue" });
 * export const load = async (ctx: Context) => {
 *   const { team } = await layoutData(ctx, loadTeam);
 *   return { title: `Members of ${team}` };
 * };
 */
export async function layoutData<Data>(ctx: Context, load: Load<Data>): Promise<Awaited<Data>> {
  const data = running.get(ctx)?.get(load);
  if (data === undefined) throw noLayout("layoutData");
  return (await data) as Awaited<Data>;
}

/**
 * The data of a layout around the page that is being rendered. Call it in the body of a component.
 * @param load the `load` of the layout, imported from its `_layout.tsx`
 * @throws SvcError `SVC_DEFINITION` if no layout around the page has this loader
 * @example
 * // The page imports it from its _layout.tsx.
 * const loadTeam = async () => ({ team: "Blue" });
 * export default function Members() {
 *   const { team } = useLayoutData(loadTeam);
 *   return <h1>Members of {team}</h1>;
 * }
 */
export function useLayoutData<Data>(load: Load<Data>): Awaited<Data> {
  const { loaded } = usePage("useLayoutData");
  if (!loaded.has(load)) throw noLayout("useLayoutData");
  return loaded.get(load) as Awaited<Data>;
}

function noLayout(name: string): SvcError {
  return new SvcError(
    "SVC_DEFINITION",
    `${name} was given a loader that no layout around this page has. Pass the "load" that the _layout.tsx of the page's folder, or of one above, exports`,
  );
}
