/**
 * `loader.js`: the one script before the first interaction. Takes over the queue of the stub, fetches what an event needs,
 * all at once, and has core run its handlers: in the order of the events, each once; synchronously as soon as the code is
 * there. Budget: 800 bytes gzip (docs/resume-protocol.md section 6).
 */
import { BASE_PATH, DOM } from "../shared/wire.ts";
import { modules } from "./modules.ts";
import type { DispatchedEvent, Step } from "./types.ts";

let retries = 0;

/** Browsers remember that a URL has failed, so the second try has another one. */
const load = async (name: string): Promise<void> => {
  const url = `${BASE_PATH}/${name}.js`;
  modules[name] = await import(url).catch(() => import(`${url}?${++retries}`));
};

const stepOf = (element: Element, handler: string): Step => {
  const [id, chunk, ...parts] = element.closest(`[${DOM.scope}]`)!.getAttribute(DOM.scope)!.split(" ");
  return [element, handler.replace(/\W/g, ""), id!, `handler/${chunk}`, "core", ...parts];
};

const each = (selector: string, visit: (element: Element) => void): void =>
  document.querySelectorAll(selector).forEach(visit);

/** The way of an event, at the time of the event: what its handlers do to the document does not change it. */
const stepsOf = ({ type, target, bubbles }: DispatchedEvent): Step[] => {
  const steps: Step[] = [];
  const add = (at: Element, name: string, isHeard?: unknown): void => {
    const handler = at.getAttribute?.(name);
    // Those of the capture phase hear every event below them, and go first, outermost before.
    if (/\^/.test(handler as never)) steps.unshift(stepOf(at, handler as string));
    else if (handler && isHeard) steps.push(stepOf(at, handler));
  };
  for (let at = target as Element | null; at; at = at.parentElement) add(at, DOM.on + type, bubbles || at == target);
  const name = DOM.window + type;
  if (document.documentElement.hasAttribute(name))
    each(`[on\\:${CSS.escape(name)}]`, (element) => add(element, DOM.on + name, 1));
  return steps;
};

const namesOf = (step: Step): string[] => step.slice(3) as string[];

const missingOf = (steps: Step[]): string[] => {
  const missing = steps.flatMap(namesOf).filter((name) => !modules[name]);
  return missing[0] ? missing : modules.core!.prepare(steps, modules);
};

/** Events that wait for code, in their order. */
let queue = Promise.resolve();
let waiting = 0;

const push = (event: DispatchedEvent): void => {
  const steps = stepsOf(event);
  if (!steps[0]) return;
  if (!waiting && !missingOf(steps)[0]) return modules.core!.run(event, steps);
  waiting++;
  const show = (isPending: boolean): void =>
    steps.forEach(([element]) => element.toggleAttribute(DOM.pending, isPending));
  show(true);
  queue = queue.then(async () => {
    try {
      for (let missing; (missing = missingOf(steps))[0];) await Promise.all(missing.map(load));
      modules.core!.run(event, steps);
    } catch (error) {
      console.error(error);
    }
    waiting--;
    show(false);
  });
};

const early = self.$svc;
self.$svc = { push } as never;
early.forEach(push);

each("[on\\:load]", (element) => push({ type: "load", target: element }));

/** Fetches what a scope's handlers need. A failure shows when an event comes. */
const warm = (element: Element): void => namesOf(stepOf(element, "")).forEach((name) => load(name).catch(() => {}));

// Intent: whoever points at, focuses or touches something that has a handler is about to use it.
for (const type of ["pointerover", "focusin", "touchstart"]) {
  addEventListener(
    type,
    ({ target }) => {
      for (let at = target as Element | null; at; at = at.parentElement) {
        if (/on:/.test(at.getAttributeNames?.() as never)) warm(at);
      }
    },
    true,
  );
}
