/**
 * `ops.js`: refreshes the operator screens and adds shortcuts. The screens work without it: it refetches the page itself, and each key
 * activates an existing link or button.
 */
import { PATHS } from "../../platform/shared/wire.ts";
import "./screens/find.ts";
import "./screens/auto-refresh.ts";
import "./screens/shortcuts.ts";
import { retryableImport } from "../../web/client/runtime/retryable-import.ts";

/** Imports a module when the pointer or the focus first enters a matching element. If the import fails, the screen works without it. */
function loadOnApproach(selector: string, path: string): void {
  let part: Promise<unknown> | undefined;
  for (const near of ["pointerover", "focusin"])
    addEventListener(near, ({ target }) => {
      if (target instanceof Element && target.closest(selector))
        part ??= retryableImport(path).catch(() => (part = undefined));
    });
}
loadOnApproach("[data-brush]", PATHS.opsBrush);
loadOnApproach(".payload", PATHS.opsEntries);

/** Preselects the time zone of this machine, unless the visitor chose one. */
const zone = document.querySelector<HTMLInputElement>("[data-zone]");
if (zone && zone.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;

// If the import fails, the panes keep the widths that the style sheet gives them.
if (document.querySelector("[data-split]")) import(PATHS.opsSplitter).catch(() => undefined);
