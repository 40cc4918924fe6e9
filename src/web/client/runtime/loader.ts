/**
 * `loader.js`: the one script before the first interaction. Takes over the queue of the stub, fetches what an event needs,
 * all at once, and has core run its handlers: in the order of the events, each once; synchronously as soon as the code is
 * there. Budget: 800 bytes gzip (docs/resume-protocol.md section 6).
 */
import { BASE_PATH, DOM, RETRY } from "../../../platform/shared/wire.ts";
import { loads, modules } from "./modules.ts";
import type { DispatchedEvent, Step } from "./types.ts";

/** Before a script is asked for again: so many milliseconds for each character of `folder`, 198 for each failure. */
const WAIT = 99;
/** Events are given up while so many wait. */
const MOST_WAITING = 1e3;

const each = (selector: string, visit: (element: Element) => void): void =>
  document.querySelectorAll(selector).forEach(visit);

/** Browsers remember that a URL has failed, and what imports it fails for good: so it is asked for in another folder. */
let folder = "";

const fetched = (name: string): Promise<unknown> =>
  // Names come from the page. Without dots, of markup that a stranger got into it too none leads out of our folder.
  import(BASE_PATH + "/" + folder + name.replace(/[.%]/g, "") + ".js").then(
    (module) => (modules[name] = module),
    (error) =>
      new Promise((done) => {
        folder += RETRY;
        // No hiccup any more.
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
  modules.core ? modules.core.prepare(steps, modules) : steps.flatMap((step) => step[3]);

/** Events that wait for code, in their order. */
let queue = Promise.resolve();
let waiting = 0;

const push = (event: DispatchedEvent): void => {
  // The way is taken at the time of the event: what its handlers do to the document does not change it.
  const steps: Step[] = [];
  const add = (at: Element, name: string, isHeard?: unknown): void => {
    const handler = at.getAttribute?.(name);
    // Most elements have none, and most events come to nothing: what is done here is what a moving pointer costs.
    if (!handler) return;
    // Those of the capture phase hear every event below them, and go first, outermost before.
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
      // All at once; the first of them is core, or one that is not there.
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

// Intent: whoever points at, touches or focuses something that has a handler is about to use it.
for (const type of ["pointerover", "focusin"]) {
  addEventListener(
    type,
    (event) => {
      for (const at of event.composedPath() as Element[])
        if (/on:/.test(at.getAttributeNames?.() as never)) stepOf(at, "")[3].map(load);
    },
    true,
  );
}
