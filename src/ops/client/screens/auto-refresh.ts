/**
 * Keeps a screen fresh: fetches the page that stands in the address again and puts in place what has changed there. When something
 * has changed the page's stream says (flow/live.ts); where that does not come through it is looked for every few seconds.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { fetchScreen } from "./fetch-screen.ts";
import { addCopyButtons } from "./copy-buttons.ts";
import { PendingRows } from "./pending-rows.ts";
import { hasFocus, isBeingUsed, isInUse } from "./user-focus.ts";
import { ContentReplacer } from "./replace-content.ts";
import { announceUpdates } from "./announce-updates.ts";

/** Between two looks, however much changes. */
const LEAST_MS = 1000;
/** Between two looks where nothing tells when there is something to see. */
const EVERY_MS = 4000;
/** Between two looks where something does: for what changes with the time alone, and what was told in vain. */
const SHOWN_MS = 30_000;
const LONGEST_MS = 60_000;
let failures = 0;

const pill = document.getElementById("ops-live");
/** Says when something has changed; screens on which nothing does have none. */
const news = document.getElementById("ops-news");
/** Parts that are renewed. Widgets, which renew themselves, tell by the same name that they do. */
const PARTS = "[data-live]:not([data-src])";

function show(text: string): void {
  // Then it says when that is tried again.
  if (!pill || pill.dataset["pill"] === "reconnecting") return;
  pill.hidden = false;
  if (pill.textContent !== text) pill.textContent = text;
}

/** To those who hear the page, too; what had it say nothing is over. */
function say(text: string): void {
  if (pill) pill.ariaLive = null;
  show(text);
}

function sayOffline(): void {
  say("offline: what you see may be old");
}

function isReported(): boolean {
  return news?.hasAttribute(DOM.flowLive) === true;
}

/** As the server wrote what stands there, without what was added here. */
const written = new WeakMap<Element, string>();

/** Rows that came while somebody reads further down, or has some of them under the hands. */
const list = document.querySelector('[data-live="runs"]');
const heldRows = list ? new PendingRows(list, refreshSoon) : undefined;

/** What may be renewed, by name: a screen that shows other things now, as the first run comes, is another one. */
function namesIn(root: ParentNode): string {
  return [...root.querySelectorAll(PARTS)].map((live) => live.getAttribute("data-live")).join();
}

/** Something was left as it was, for somebody had it under the hands. */
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
    const { status, responseXML: fresh } = await fetchScreen(location.href);
    if (status !== 200 || !fresh) throw new Error(status === 401 ? "signed out: reload to sign in" : "");
    take(fresh);
    failures = 0;
    if (news && pill?.dataset["pill"] === "over") followAnew(news, fresh);
    show(isReported() ? "live" : `every ${EVERY_MS / 1000} s`);
  } catch (error) {
    failures++;
    if ((error as Error).message) say((error as Error).message);
    else sayOffline();
  }
}

/** The address of the stream was good for a day; that of the fresh page is good for another. */
function followAnew(old: HTMLElement, fresh: Document): void {
  Object.assign(old.dataset, fresh.getElementById(old.id)?.dataset);
  old.parentElement?.append(old);
}

let timer: ReturnType<typeof setTimeout> | undefined;
let lookedAt = performance.now();
let isLooking = false;
let isWanted = false;

/** In place of a look that was to come. */
function lookIn(ms: number): void {
  clearTimeout(timer);
  if (news && !document.hidden) timer = setTimeout(() => void opsContext(), ms);
}

async function opsContext(): Promise<void> {
  const restMs = lookedAt + SHOWN_MS - performance.now();
  if (!isWanted && isReported() && failures === 0 && restMs > 0) return lookIn(restMs);
  [isLooking, isWanted, lookedAt] = [true, false, performance.now()];
  await refresh();
  isLooking = false;
  if (isWanted) refreshSoon();
  else lookIn(Math.min(LONGEST_MS, EVERY_MS * 2 ** failures));
}

/** Many who want it at once have one look. */
function refreshSoon(): void {
  isWanted = true;
  if (!isLooking) lookIn(Math.max(0, lookedAt + LEAST_MS - performance.now()));
}

if (news) {
  const place = news.parentElement;
  let seen = news.dataset["at"];
  news.addEventListener(DOM.flowPatch, () => {
    seen = news.dataset["at"];
    refreshSoon();
  });
  // What nobody sees follows nothing; who comes back is told whether there was something.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      news.remove();
      clearTimeout(timer);
      return;
    }
    place?.append(news);
    if (isWanted || seen !== news.dataset["at"]) refreshSoon();
    else lookIn(EVERY_MS);
  });
  // What was under somebody's hands may be renewed once it is not.
  for (const type of ["change", "focusout", "selectionchange", "toggle"])
    document.addEventListener(type, () => isBehind && refreshSoon(), true);
  addEventListener("offline", sayOffline);
  addEventListener("online", refreshSoon);
  // It may have gone while this was on its way.
  if (!navigator.onLine) sayOffline();
}

/** What has just come has what scripts add. */
function dress(root: ParentNode): void {
  // What will be something else when its time has come, though nothing tells of it.
  const due = root.querySelector("[data-due]")?.getAttribute("data-due");
  if (due) setTimeout(refreshSoon, Number(due));
  addCopyButtons(root);
}

/** What moves by itself can be held still. */
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
lookIn(EVERY_MS);
