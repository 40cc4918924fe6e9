/** The files that this page has requested: a fault of another file concerns other pages only. */
import type { DevFault } from "../../../platform/shared/dev-fault.ts";
import { BASE_PATH, RETRY } from "../../../platform/shared/wire.ts";

const requested = new Set<string>();
/** Faults of files that this page has not requested so far, by path. The browser may report a request after the server reports its fault. */
const waiting = new Map<string, { fault: DevFault; show: (fault: DevFault) => void }>();

/** Calls `show` with a fault of this page: at once, or when the browser reports the request of its file. */
export function whenConcerned(fault: DevFault, show: (fault: DevFault) => void): void {
  const { request } = fault;
  if (request === undefined || requested.has(request)) return show(fault);
  waiting.set(request, { fault, show });
}

/** Forgets the faults of other pages: their files may have been fixed. */
export function forgetFaults(kind: DevFault["kind"]): void {
  for (const [path, { fault }] of waiting) if (fault.kind === kind) waiting.delete(path);
}

/** Path of a request, without the folders of retries. */
function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname.startsWith(BASE_PATH) ? pathname.replaceAll(RETRY, "") : pathname;
}

new PerformanceObserver((list) => {
  for (const { name } of list.getEntries()) {
    if (!name.startsWith(location.origin)) continue;
    const path = pathOf(name);
    requested.add(path);
    const found = waiting.get(path);
    waiting.delete(path);
    found?.show(found.fault);
  }
}).observe({ type: "resource", buffered: true });
