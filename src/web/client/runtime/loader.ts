/**
 * `loader.js`: the only script that runs before the first interaction. It takes over the stub's queue, fetches all modules that an event
 * needs in parallel, and has core run the handlers. Each event is handled once, in order, and synchronously when its code is loaded.
 * Budget: 800 bytes gzip (docs/resume-protocol.md section 6).
 */
import { BASE_PATH, DOM, RETRY } from "../../../platform/shared/wire.ts";
import { loads, modules } from "./modules.ts";
import type { DispatchedEvent, Step } from "./types.ts";

/** Delay before a retry, in milliseconds per character of `folder`. Each failure adds two characters, so 198 ms. */
const WAIT = 99;
/** New events are dropped while this many wait for code. */
const MOST_WAITING = 1e3;

const each = (selector: string, visit: (element: Element) => void): void =>
  document.querySelectorAll(selector).forEach(visit);

/** Browsers cache the failure of a module URL for the life of the page, so each retry asks for it in another folder. */
let folder = "";

const fetched = (name: string): Promise<unknown> =>
  // The page supplies the names. Removing dots and percent signs keeps a name from injected markup inside our folder.
  import(BASE_PATH + "/" + folder + name.replace(/[.%]/g, "") + ".js").then(
    (module) => (modules[name] = module),
    (error) =>
      new Promise((done) => {
        folder += RETRY;
        // Five failures in a row are more than a hiccup: report the error.
        if (folder[9]) {
          each("[" + DOM.pending + "]", (element) => element.setAttribute(DOM.pending, "failed"));
          console.error("SVC301", error);
        }
        addEventListener("online", done);
        setTimeout(done, WAIT * folder.length);
      }).then(() => fetched(name)),
  );

const load = (name: string): unknown => (loads[name] ??= fetched(name));

const stepOf = (element: Element, handler: string): Step => {
  const [id, chunk, ...parts] = element.closest(`[${DOM.scope}]`)!.getAttribute(DOM.scope)!.split(" ");
  return [element, handler.replace(/\W/g, ""), id!, ["core", "handler/" + chunk, ...parts]];
};

const missingOf = (steps: Step[]): string[] =>
  modules.core?.prepare(steps, modules) ?? steps.flatMap((step) => step[3]);

/** Settles when the events that wait for code have run, in order. */
let queue = Promise.resolve();
let waiting = 0;

const push = (event: DispatchedEvent): void => {
  // Collected when the event fires, so handlers that change the document do not change which handlers run.
  const steps: Step[] = [];
  const add = (at: Element, name: string, isHeard?: unknown): void => {
    const handler = at.getAttribute?.(name);
    // This runs for every event, pointer moves included. Most elements have no handler, so this check comes first.
    if (!handler) return;
    // Capture handlers hear every event below their element. They run first, from the outermost inwards.
    if (/\^/.test(handler)) steps.unshift(stepOf(at, handler));
    else if (isHeard) steps.push(stepOf(at, handler));
  };
  const own = DOM.on + event.type;
  for (const at of event._way) add(at, own, event.bubbles || at == event.target);
  const name = DOM.window + event.type;
  const hearers = document.documentElement.getAttribute(name);
  if (hearers) each(hearers, (element) => add(element, DOM.on + name, hearers));

  if (!(steps[0] && waiting < MOST_WAITING)) return;
  if (!waiting && !missingOf(steps)[0]) return modules.core!.run(event, steps);
  waiting++;
  steps.forEach(([element]) => element.setAttribute(DOM.pending, ""));
  queue = queue
    .then(async () => {
      // Starts all downloads and awaits the first: core, or a missing module.
      for (let missing; (missing = missingOf(steps))[0];) await missing.map(load)[0];
      waiting--;
      steps.forEach(([element]) => element.removeAttribute(DOM.pending));
      modules.core!.run(event, steps);
    })
    .catch(reportError);
};

const early = $svc;
$svc = { push, load, _modules: modules } as never;
early.forEach(push);

// Prefetch on intent: a user who points at, touches or focuses an element with a handler will probably use it.
for (const type of early.q ?? ["pointerover", "focusin"]) {
  addEventListener(
    type,
    (event) => {
      for (const at of event.composedPath() as Element[])
        if (/on:/.test(at.getAttributeNames?.() as never)) stepOf(at, "")[3].map(load);
    },
    // A number is shorter than `true`.
    1 as never,
  );
}
