/** Keyboard shortcuts: they activate the elements that name them in `data-key`; a sequence of two keys is written `g r`. */
import { retryableImport } from "../../../web/client/runtime/retryable-import.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import { fetchPage } from "../widgets/fetch-page.ts";
import { keep, kept } from "./local-settings.ts";

/** Maximum time between the two keys of a sequence. */
const SEQUENCE_MS = 1200;
const OFF = "svc-ops-shortcuts";

let isOff = kept(OFF) === "off";
let pressed = "";
let pressedAt = 0;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;
}

/** Moves the focus along the rows of the list. */
function move(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}

/** Follows links and toggles what only changes this page. Buttons that submit an action only get the focus: Enter then submits it. */
function press(keys: string): boolean {
  const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(keys)}"]`);
  if (!target) return false;
  target.focus();
  if (target.matches("a, summary, [type=button]")) target.click();
  return true;
}

/** Loads the palette when it is first opened. If that fails, opens the "Go to" screen. */
function openPalette(): boolean {
  const link = document.querySelector<HTMLAnchorElement>("[data-go]");
  if (!link) return false;
  (retryableImport(PATHS.opsPalette) as Promise<typeof import("./command-palette.ts")>).then(
    ({ open }) => open(link.href, fetchPage),
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
  if (key.toLowerCase() === "k" && ctrlKey !== metaKey && !altKey && !shiftKey && !isOff) {
    if (openPalette()) event.preventDefault();
    return;
  }
  if (ctrlKey || metaKey || altKey || event.defaultPrevented) return;
  if (isTyping(target)) {
    if (key === "Escape" && target instanceof HTMLElement) target.blur();
    return;
  }
  if (isOff) return;
  const keys = event.timeStamp - pressedAt < SEQUENCE_MS && pressed !== "" ? `${pressed} ${key}` : key;
  [pressed, pressedAt] = [keys === "g" ? key : "", event.timeStamp];
  if (keys !== key && press(keys)) return event.preventDefault();
  if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
  else if (!press(key)) return;
  event.preventDefault();
});

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement && target.id === "ops-shortcuts")) return;
  isOff = !target.checked;
  keep(OFF, isOff ? "off" : "on");
});
const shortcuts = document.getElementById("ops-shortcuts");
if (shortcuts instanceof HTMLInputElement) shortcuts.checked = !isOff;
