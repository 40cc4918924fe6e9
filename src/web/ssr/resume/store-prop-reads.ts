/** Development only: rejects a store that is passed as a prop and read where the output never updates (SVC204). */
import { isOfStore } from "../../reactivity/server-store.ts";
import { SvcError } from "../../../platform/shared/errors.ts";

/**
 * Returns the prop unchanged. Called by modules compiled for development.
 * @param where position of the prop in the source: `pages/list.tsx:12:9`.
 * @param source the source text of the prop.
 * @throws SvcError SVC204 for a store, or an object inside a store
 */
export function still<Prop>(prop: Prop, where: string, source: string): Prop {
  if (!isOfStore(prop)) return prop;
  throw new SvcError(
    "SVC204",
    `SVC204 ${where}\n${source} is a store, but this output is rendered only once: the compiler can't see that the prop can change. ` +
      `Write const shown = computed(() => ${source}…) and show shown.value, or pass a computed to the component. ` +
      `If the output should stay as it is, read the prop in untrack(() => …).`,
  );
}
