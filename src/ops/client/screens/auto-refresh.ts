/**
 * Keeps a screen up to date: fetches the current page again and replaces the parts that changed. The page's stream says when something
 * changed (live.ts); without a stream the screen polls every few seconds.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { fetchPage } from "../widgets/fetch-page.ts";
import { addCopyButtons } from "./copy-buttons.ts";
import { PendingRows } from "./pending-rows.ts";
import { hasFocus, isBeingUsed, isInUse } from "./user-focus.ts";
import { ContentReplacer } from "./replace-content.ts";
import { announceUpdates } from "./announce-updates.ts";

/** Minimum time between two refreshes, however much changes. */
const LEAST_MS = 1000;
/** Polling interval without a stream. */
const EVERY_MS = 4000;
/** Refresh interval with a stream: for texts that change with time alone, and for lost notifications. */
const SHOWN_MS = 30_000;
const LONGEST_MS = 60_000;
let failures = 0;

const pill = document.getElementById("ops-live");
/** The element that receives change notifications. Screens with static content have none. */
const news = document.getElementById("ops-news");
/** Parts that this module replaces. Widgets with a `data-src` update themselves. */
const PARTS = "[data-live]:not([data-src])";

function show(text: string): void {
  // In that state the pill shows when the connection is retried.
  if (!pill || pill.dataset["pill"] === "reconnecting") return;
  pill.hidden = false;
  if (pill.textContent !== text) pill.textContent = text;
}

/** Shows the text and lets screen readers announce it. */
function say(text: string): void {
  if (pill) pill.ariaLive = null;
  show(text);
}

function sayOffline(): void {
  say("offline: data may be out of date");
}

function isReported(): boolean {
  return news?.hasAttribute(DOM.flowLive) === true;
}

/** The HTML of each part as the server wrote it, without what scripts added. */
const written = new WeakMap<Element, string>();

/** New rows that are held back while the visitor has scrolled down or is using the list. */
const list = document.querySelector('[data-live="runs"]');
const heldRows = list ? new PendingRows(list, refreshSoon) : undefined;

/** The names of the replaceable parts. If they change (for example when the first run appears), the whole screen is another one. */
function namesIn(root: ParentNode): string {
  return [...root.querySelectorAll(PARTS)].map((live) => live.getAttribute("data-live")).join();
}

/** Whether a part was not replaced because the visitor is using it. */
let isBehind = false;

function take(fresh: Document): void {
  if (namesIn(fresh) !== namesIn(document) && !isInUse(document.body)) return location.reload();
  isBehind = false;
  for (const old of document.querySelectorAll(PARTS)) {
    const name = old.getAttribute("data-live") ?? "";
    const next = fresh.querySelector(`[data-live="${CSS.escape(name)}"]`);
    if (!next || next.innerHTML === written.get(old)) continue;
    const deferred = old === list ? heldRows : undefined;
    const isWanted = deferred?.isWanted === true;
    const renewal = new ContentReplacer(old, next);
    if (
      deferred?.keeps(old, next, isInUse) === true ||
      (!isWanted && (isBeingUsed(old) || (hasFocus(old) && !renewal.focus)))
    ) {
      isBehind = true;
      continue;
    }
    written.set(old, next.innerHTML);
    if (deferred) deferred.replace(old, () => renewal.put());
    else renewal.put();
    dress(old);
    if (name === "ticker") announceUpdates(old);
  }
}

async function refresh(): Promise<void> {
  try {
    const { status, responseXML: fresh } = await fetchPage(location.href);
    if (status !== 200 || !fresh) throw new Error(status === 401 ? "signed out: reload to sign in" : "");
    take(fresh);
    failures = 0;
    if (news && pill?.dataset["pill"] === "over") renewStream(news, fresh);
    show(isReported() ? "live" : `every ${EVERY_MS / 1000} s`);
  } catch (error) {
    failures++;
    if ((error as Error).message) say((error as Error).message);
    else sayOffline();
  }
}

/** The stream ended with the visitor's access, who has it again. Copies the address of the fresh page and reconnects. */
function renewStream(old: HTMLElement, fresh: Document): void {
  Object.assign(old.dataset, fresh.getElementById(old.id)?.dataset);
  old.parentElement?.append(old);
}

let timer: ReturnType<typeof setTimeout> | undefined;
let lookedAt = performance.now();
let isLooking = false;
let isWanted = false;

/** Schedules the next check, in place of the scheduled one. */
function scheduleCheck(ms: number): void {
  clearTimeout(timer);
  if (news && !document.hidden) timer = setTimeout(() => void refreshIfDue(), ms);
}

async function refreshIfDue(): Promise<void> {
  const restMs = lookedAt + SHOWN_MS - performance.now();
  if (!isWanted && isReported() && failures === 0 && restMs > 0) return scheduleCheck(restMs);
  [isLooking, isWanted, lookedAt] = [true, false, performance.now()];
  await refresh();
  isLooking = false;
  if (isWanted) refreshSoon();
  else scheduleCheck(Math.min(LONGEST_MS, EVERY_MS * 2 ** failures));
}

/** Several requests at the same time share one refresh. */
function refreshSoon(): void {
  isWanted = true;
  if (!isLooking) scheduleCheck(Math.max(0, lookedAt + LEAST_MS - performance.now()));
}

if (news) {
  const place = news.parentElement;
  let seen = news.dataset["at"];
  news.addEventListener(DOM.flowPatch, () => {
    seen = news.dataset["at"];
    refreshSoon();
  });
  // A hidden page follows nothing. When it becomes visible again, it learns whether something changed.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      news.remove();
      clearTimeout(timer);
      return;
    }
    place?.append(news);
    if (isWanted || seen !== news.dataset["at"]) refreshSoon();
    else scheduleCheck(EVERY_MS);
  });
  // Refresh once the visitor stops using the part that was left out.
  for (const type of ["change", "focusout", "selectionchange", "toggle"])
    document.addEventListener(type, () => isBehind && refreshSoon(), true);
  addEventListener("offline", sayOffline);
  addEventListener("online", refreshSoon);
  // The network may have gone away while this script loaded.
  if (!navigator.onLine) sayOffline();
}

/** Adds to fresh markup what scripts provide. */
function dress(root: ParentNode): void {
  // Content that changes at a known time without a notification.
  const due = root.querySelector("[data-due]")?.getAttribute("data-due");
  if (due) setTimeout(refreshSoon, Number(due));
  addCopyButtons(root);
}

/** Buttons that pause a moving list. */
for (const button of document.querySelectorAll<HTMLElement>("[data-hold]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const live = document.querySelector(`[data-live="${CSS.escape(button.dataset["hold"] ?? "")}"]`);
    const isHeld = live?.toggleAttribute("data-held") ?? false;
    button.ariaPressed = String(isHeld);
    if (!isHeld) refreshSoon();
  });
}

for (const live of document.querySelectorAll(PARTS)) written.set(live, live.innerHTML);
dress(document);
show(pill?.textContent ?? "");
scheduleCheck(EVERY_MS);
