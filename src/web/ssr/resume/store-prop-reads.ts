/** Development only: a store that was handed down as a prop and is read where nothing is written again (SVC204). */
import { isOfStore } from "../../reactivity/server-store.ts";
import { SvcError } from "../../../platform/shared/errors.ts";

/**
 * The prop as it is. Called by modules that were compiled for development.
 * @param where `pages/list.tsx:12:9` of the prop in the source.
 * @param source the prop as it is written there.
 * @throws SvcError SVC204 for a store, or an object inside of one
 */
export function still<Prop>(prop: Prop, where: string, source: string): Prop {
  if (!isOfStore(prop)) return prop;
  throw new SvcError(
    "SVC204",
    `SVC204 ${where}\n${source} is a store, but what shows it here is written once: no file says that this prop can change. ` +
      `Write const shown = computed(() => ${source}…) and show shown.value, or give the component a computed; ` +
      `untrack(() => …) marks it as intended.`,
  );
}
