/** Keys: they lead to what stands on the screen, as `data-key` says; two of them are pressed one after the other (`g r`). */
import { retryableImport } from "../../../web/client/runtime/retryable-import.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import { fetchScreen } from "./fetch-screen.ts";
import { keep, kept } from "./local-settings.ts";

/** Shortcuts of one key after another must follow within this. */
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

/** Opens and goes where it leads to, and turns on and off what changes this page alone; a step is taken by the next key alone, Enter. */
function press(keys: string): boolean {
  const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(keys)}"]`);
  if (!target) return false;
  target.focus();
  if (target.matches("a, summary, [type=button]")) target.click();
  return true;
}

/** The palette comes when it is first wanted; where it doesn't, the screen that it is made of does. */
function openPalette(): boolean {
  const link = document.querySelector<HTMLAnchorElement>("[data-go]");
  if (!link) return false;
  (retryableImport(PATHS.opsPalette) as Promise<typeof import("./command-palette.ts")>).then(
    ({ open }) => open(link.href, fetchScreen),
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
