/**
 * `dev.js`, included in every page of `svc dev`: listens for source changes and applies them to the page. Never part of a
 * production build.
 */
import type { DevFault } from "../../../platform/shared/dev-fault.ts";
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import { remember } from "../navigation/morph.ts";
import { hide, show } from "./overlay.ts";
import { forgetFaults, whenConcerned } from "./requests.ts";
import { swapStyles } from "./styles.ts";
import { buildOf, update } from "./update.ts";

let build = buildOf(document);
/** Updates run one after the other. At most one waits, since it covers all edits until it starts. */
let queue = Promise.resolve();
let waiting = 0;
/** Number of faults that the server has reported. */
let faults = 0;

/** The fault that this page displays in place of the requested page. */
const reported = document.getElementById(DOM.faultId)?.textContent;
if (reported === undefined) remember(document.documentElement);
showCaught();

const events = new EventSource(PATHS.devEvents);
const on = <Data>(type: string, react: (data: Data) => void): void =>
  events.addEventListener(type, ({ data }: MessageEvent<string>) => react(JSON.parse(data) as Data));

on<string>("build", (current) => {
  if (reported !== undefined) return current === build ? undefined : location.reload();
  forgetFaults("compile");
  hide(["compile"]);
  if (current !== build) follow();
});
on<DevFault>("fault", (fault) => {
  if (reported === undefined) whenConcerned(fault, showReported);
  else if (fault.request !== undefined) return;
  else if (JSON.stringify(JSON.parse(reported)) !== JSON.stringify(fault)) location.reload();
});
on<string>("style", (path) => {
  forgetFaults("style");
  // If the stylesheet still has an error, the server reports it again.
  hide(["style"]);
  swapStyles(path);
});

function showReported(fault: DevFault): void {
  faults++;
  show(fault);
}

/** An error that the page itself shows with `_error.tsx`. */
function showCaught(): void {
  const caught = document.getElementById(DOM.caughtId);
  if (!caught) return;
  // Shown once: it stays in the document until the next page.
  caught.remove();
  show(JSON.parse(caught.textContent) as DevFault);
}

// Client-side navigation and forms put pages into this document.
addEventListener(DOM.arrived, showCaught);

function follow(): void {
  if (waiting > 0) return;
  waiting++;
  queue = queue.then(async () => {
    waiting--;
    const before = faults;
    try {
      const outcome = await update();
      if ("fault" in outcome) return outcome.fault && show(outcome.fault);
      ({ build } = outcome);
      // A fault that arrived during the update belongs to a later edit.
      if (faults === before) hide();
      showCaught();
      dispatchEvent(new CustomEvent("svc:update"));
    } catch (error) {
      console.error("svc: failed to apply the edit to the page; reloading.", error);
      location.reload();
    }
  });
}

addEventListener("error", ({ error }) => void report(error as unknown));
addEventListener("unhandledrejection", ({ reason }) => void report(reason as unknown));

/** The server maps the error to its place in the source. */
async function report(error: unknown): Promise<void> {
  if (!(error instanceof Error)) return;
  const { name, message, stack } = error;
  const response = await fetch(PATHS.devFault, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, message, stack }),
  });
  if (response.ok) show((await response.json()) as DevFault);
}
