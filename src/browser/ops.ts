/**
 * `ops.js`: keeps the operators' screens fresh and gives them shortcuts. The screens do without it: it fetches the page that stands
 * in the address again and puts in place what has changed there, and a key presses what already is a link or a button. When something has
 * changed the page's stream says (flow/live.ts); where that does not come through it is looked for every few seconds.
 */
import { DOM, PATHS } from "../shared/wire.ts";
import { HeldRows } from "./ops/held-rows.ts";

/** Between two looks, however much changes. */
const LEAST_MS = 1000;
/** Between two looks where nothing tells when there is something to see. */
const EVERY_MS = 4000;
/** Between two looks where something does: for what changes with the time alone, and what was told in vain. */
const TOLD_MS = 30_000;
const LONGEST_MS = 60_000;
/** Shortcuts of one key after another must follow within this. */
const SEQUENCE_MS = 1200;
const OFF = "svc-ops-shortcuts";

let failures = 0;
let pressed = "";
let pressedAt = 0;

const pill = document.getElementById("ops-live");
/** Says when something has changed; screens on which nothing does have none. */
const news = document.getElementById("ops-news");
/** Parts that are renewed. Widgets, which renew themselves, tell by the same name that they do. */
const PARTS = "[data-live]:not([data-src])";

function show(text: string): void {
  if (!pill) return;
  pill.hidden = false;
  if (pill.textContent !== text) pill.textContent = text;
}

function sayOffline(): void {
  show("offline: what you see may be old");
}

function isTold(): boolean {
  return news?.hasAttribute(DOM.flowLive) === true;
}

/** Whether somebody is at it: then it stays as it is. */
function isInUse(element: Element): boolean {
  return (
    (element !== document.activeElement && element.contains(document.activeElement)) ||
    element.hasAttribute("data-held") ||
    element.querySelector("input:checked[name=run], details[open][data-keep]") !== null ||
    (getSelection()?.type === "Range" && getSelection()?.containsNode(element, true) === true)
  );
}

/** What was told to those who hear the page, and when: no more often than they can listen. */
const EAR_MS = 5000;
let toldAt = -EAR_MS;
let isTelling = false;
let lastTick = document.querySelector("[data-tick]")?.getAttribute("data-tick");

function tellTicks(live: Element): void {
  const ticks = [...live.querySelectorAll("[data-tick]")];
  const seen = ticks.findIndex((tick) => tick.getAttribute("data-tick") === lastTick);
  const fresh = seen < 0 ? ticks : ticks.slice(0, seen);
  const ear = document.querySelector("[data-ear]");
  const now = performance.now();
  if (!ear || fresh.length === 0 || isTelling) return;
  const restMs = toldAt + EAR_MS - now;
  if (restMs > 0) {
    isTelling = true;
    setTimeout(() => {
      isTelling = false;
      tellTicks(live);
    }, restMs);
    return;
  }
  toldAt = now;
  lastTick = ticks[0]?.getAttribute("data-tick");
  const newest = fresh.slice(0, 2).map((tick) => tick.querySelector(".ticker-what")?.firstChild?.textContent?.trim());
  const words = fresh.slice(0, 2).map((tick) => tick.querySelector(".svc-status-word")?.textContent ?? "");
  ear.textContent = `${fresh.length} new: ${newest.map((name, at) => `${name ?? ""} ${words[at] ?? ""}`).join(", ")}`;
}

/** As the server wrote what stands there, without what was added here. */
const written = new WeakMap<Element, string>();

/** Rows that came while somebody reads further down, or has some of them under the hands. */
const list = document.querySelector('[data-live="runs"]');
const heldRows = list ? new HeldRows(list, refreshSoon) : undefined;

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
    const held = old === list ? heldRows : undefined;
    if (held?.keeps(old, next, isInUse)) {
      isBehind = true;
      continue;
    }
    if (isInUse(old) && held?.isWanted !== true) {
      isBehind = true;
      continue;
    }
    written.set(old, next.innerHTML);
    const put = (): void => old.replaceChildren(...document.importNode(next, true).childNodes);
    if (held) held.replace(old, put);
    else put();
    dress(old);
    if (name === "ticker") tellTicks(old);
  }
}

/** Of this address, as it is now. A document that a request brings is no HTML from a string, so Trusted Types have nothing to refuse. */
function fetched(): Promise<Document> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document";
    request.onload = () => {
      if (request.status === 200 && request.responseXML) resolve(request.responseXML);
      else reject(new Error(request.status === 401 ? "signed out: reload to sign in" : ""));
    };
    request.onerror = () => reject(new Error(""));
    request.send();
  });
}

async function refresh(): Promise<void> {
  try {
    const fresh = await fetched();
    take(fresh);
    failures = 0;
    if (news && pill?.dataset["pill"] === "over") followAnew(news, fresh);
    show(isTold() ? "live" : `every ${EVERY_MS / 1000} s`);
  } catch (error) {
    failures++;
    if ((error as Error).message) show((error as Error).message);
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
  if (news && !document.hidden) timer = setTimeout(() => void look(), ms);
}

async function look(): Promise<void> {
  const restMs = lookedAt + TOLD_MS - performance.now();
  if (!isWanted && isTold() && failures === 0 && restMs > 0) return lookIn(restMs);
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
      news.removeAttribute(DOM.flowLive);
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

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;
}

/** Moves the focus along the rows of the list. */
function move(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}

/** Opens and goes where it leads to; what a button does is done by the next key alone, Enter. */
function press(keys: string): boolean {
  const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(keys)}"]`);
  if (!target) return false;
  target.focus();
  if (target.matches("a, summary")) target.click();
  return true;
}

/** The palette comes when it is first wanted; where it doesn't, the screen that it is made of does. */
function openPalette(): boolean {
  const link = document.querySelector<HTMLAnchorElement>("[data-go]");
  if (!link) return false;
  (import(PATHS.opsPalette) as Promise<typeof import("./ops/palette.ts")>).then(
    ({ open }) => open(link.href),
    () => location.assign(link.href),
  );
  return true;
}

addEventListener("click", (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey } = event;
  if (button !== 0 || ctrlKey || metaKey || shiftKey || !(target instanceof Element) || !target.closest("[data-go]"))
    return;
  if (openPalette()) event.preventDefault();
});

addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
  if (key.toLowerCase() === "k" && ctrlKey !== metaKey && !altKey && !shiftKey && localStorage.getItem(OFF) !== "off") {
    if (openPalette()) event.preventDefault();
    return;
  }
  if (ctrlKey || metaKey || altKey || event.defaultPrevented) return;
  if (isTyping(target)) {
    if (key === "Escape" && target instanceof HTMLElement) target.blur();
    return;
  }
  if (localStorage.getItem(OFF) === "off") return;
  const keys = event.timeStamp - pressedAt < SEQUENCE_MS && pressed !== "" ? `${pressed} ${key}` : key;
  [pressed, pressedAt] = [keys === "g" ? key : "", event.timeStamp];
  if (keys !== key && press(keys)) return event.preventDefault();
  if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
  else if (!press(key)) return;
  event.preventDefault();
});

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement && target.id === "ops-shortcuts")
    localStorage.setItem(OFF, target.checked ? "on" : "off");
});
const shortcuts = document.getElementById("ops-shortcuts");
if (shortcuts instanceof HTMLInputElement) shortcuts.checked = localStorage.getItem(OFF) !== "off";

/** A range can be drawn by whoever comes near: what that takes comes then, and where it doesn't, there are links. */
let brush: Promise<unknown> | undefined;
for (const near of ["pointerover", "focusin"])
  addEventListener(near, ({ target }) => {
    if (target instanceof Element && target.closest("[data-brush]"))
      brush ??= import(PATHS.opsBrush).catch(() => (brush = undefined));
  });

/** What is to be copied gets a button for it. */
function dress(root: ParentNode): void {
  // What will be something else when its time has come, though nothing tells of it.
  const due = root.querySelector("[data-due]")?.getAttribute("data-due");
  if (due) setTimeout(refreshSoon, Number(due));
  for (const text of root.querySelectorAll("[data-copy], [data-copy-id]")) {
    const button = document.createElement("button");
    const isId = text.hasAttribute("data-copy-id");
    button.type = "button";
    button.className = isId ? "copy-id" : "button";
    button.textContent = "Copy";
    if (isId) button.ariaLabel = "Copy the id";
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(text.textContent?.trim() ?? "").then(() => (button.textContent = "Copied"));
    });
    text.after(button);
  }
}

/** A payload is looked through as somebody writes, as far as it stands here; Enter asks the server, which looks through all of it. */
addEventListener("input", ({ target }) => {
  const form = target instanceof HTMLInputElement && target.form?.matches("[data-find]") ? target.form : null;
  const output = form?.querySelector("output");
  if (!form || !output) return;
  const wanted = (target as HTMLInputElement).value.toLowerCase();
  let found = 0;
  for (const line of form.parentElement?.querySelectorAll(".payload p, .payload summary") ?? []) {
    const holds = wanted !== "" && [...line.children].some((part) => searched(part).toLowerCase().includes(wanted));
    line.toggleAttribute("data-found", holds);
    if (!holds) continue;
    found++;
    const own = line.matches("summary") ? line.parentElement : line;
    for (let at = own?.parentElement?.closest("details"); at; at = at.parentElement?.closest("details")) at.open = true;
  }
  output.textContent =
    wanted === "" ? "" : `${found === 0 ? "Nothing" : found} found here; Enter looks through all of it`;
});

/** What the server looks through: keys but for places in lists, and values but for those that are hidden. */
function searched(part: Element): string {
  const text = part.textContent ?? "";
  if (part.className === "payload-key") return part.hasAttribute("data-place") ? "" : text.slice(0, -2);
  const kind = part.getAttribute("data-kind");
  if (kind === "string") return JSON.parse(text) as string;
  return kind === null || kind === "redacted" ? "" : text;
}

/** What moves by itself can be held still. */
for (const button of document.querySelectorAll<HTMLElement>("[data-hold]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const live = document.querySelector(`[data-live="${CSS.escape(button.dataset["hold"] ?? "")}"]`);
    const isHeld = live?.toggleAttribute("data-held") ?? false;
    button.ariaPressed = String(isHeld);
    button.textContent = isHeld ? "Go on" : "Pause";
    if (!isHeld) refreshSoon();
  });
}

/** The zone of this machine, where none was chosen. */
const zone = document.querySelector<HTMLInputElement>("[data-zone]");
if (zone && zone.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const live of document.querySelectorAll(PARTS)) written.set(live, live.innerHTML);
// Where it does not come, the panes are as wide as the screen has them.
if (document.querySelector("[data-split]")) import(PATHS.opsSplitter).catch(() => undefined);
dress(document);
show(pill?.textContent ?? "");
lookIn(EVERY_MS);
