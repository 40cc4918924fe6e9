/**
 * `prefetch.js`: fetches the code of all handlers of the page when the browser is idle, so that a later event runs at once. For pages
 * with `prefetch: "idle"`. Fetches nothing if the visitor saves data.
 */
import "./loader.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import type { EventQueue, Modules, Step } from "./types.ts";

/** The loader, which the import above has started. It requests every module once. */
const { load, _modules } = self.$svc as EventQueue & { load: (name: string) => unknown; _modules: Modules };

const fetchAll = async (): Promise<void> => {
  const steps = [...document.querySelectorAll(`[${DOM.scope}]`)].map((element): Step => {
    const [id, chunk, ...parts] = element.getAttribute(DOM.scope)!.split(" ");
    return [element, "", id!, ["core", "handler/" + chunk, ...parts]];
  });
  steps.flatMap((step) => step[3]).forEach(load);
  if (!steps[0]) return;
  await load("core");
  // Core knows the modules that the page names beyond those of its elements.
  _modules.core!.prepare(steps, _modules).forEach(load);
};

// Safari has no requestIdleCallback.
const start = (): unknown => (self.requestIdleCallback ?? setTimeout)(fetchAll);

if (!(navigator as { connection?: { saveData?: boolean } }).connection?.saveData) {
  // Images and styles of the page come first. A page that is swapped in has no load event of its own.
  if (document.readyState == "complete") start();
  else addEventListener("load", start);
  // Deferred content and pages that are swapped in may contain other scopes.
  addEventListener(DOM.arrived, start);
}
