/** `navigate.js`: lets handlers navigate as a followed link does. Loads the navigation code on the first call. */
import { DOM, PATHS } from "../../../platform/shared/wire.ts";

import type { NavigateOptions } from "../runtime/types.ts";

type Visit = typeof import("./client-navigation.ts");

/** The browser itself loads pages of other sites, pages without enhanced navigation, and any page if the code can't be fetched. */
export const navigate = async (path: string, options: NavigateOptions = {}): Promise<void> => {
  const { href, origin } = new URL(path, location.href);
  if (origin == location.origin && document.querySelector(`script[${DOM.links}]`)) {
    const visit = (await import(PATHS.visit).catch(() => undefined)) as Visit | undefined;
    if (visit) return visit.follow(href, { ...options, isFresh: true });
  }
  if (options.replace) location.replace(href);
  else location.assign(href);
};
