/**
 * `ops.js`: keeps the operators' screens fresh and gives them shortcuts. The screens do without it: what changes is fetched as the page
 * that it is, and a key leads to what already is a link or a button.
 */
import { PATHS } from "../../platform/shared/wire.ts";
import "./screens/find.ts";
import "./screens/auto-refresh.ts";
import "./screens/shortcuts.ts";
import { retryableImport } from "../../web/client/runtime/retryable-import.ts";

/** Comes when somebody comes near what it is for; where it doesn't, the screen does without. */
function comesNear(selector: string, path: string): void {
  let part: Promise<unknown> | undefined;
  for (const near of ["pointerover", "focusin"])
    addEventListener(near, ({ target }) => {
      if (target instanceof Element && target.closest(selector))
        part ??= retryableImport(path).catch(() => (part = undefined));
    });
}
comesNear("[data-brush]", PATHS.opsBrush);
comesNear(".payload", PATHS.opsEntries);

/** The zone of this machine, where none was chosen. */
const zone = document.querySelector<HTMLInputElement>("[data-zone]");
if (zone && zone.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;

// Where it does not come, the panes are as wide as the screen has them.
if (document.querySelector("[data-split]")) import(PATHS.opsSplitter).catch(() => undefined);
