/** `<ThemeSwitch>`: lets visitors choose the theme: system, light, dark or high contrast. A cookie stores the choice for the server. */
import type { Markup } from "../../jsx/element.ts";
import { escapeAttribute, escapeText } from "../../../platform/shared/html/escape.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { THEMES, type Theme } from "../../../platform/shared/themes.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";

const LABELS: Readonly<Record<Theme, string>> = {
  system: "System",
  light: "Light",
  dark: "Dark",
  contrast: "Contrast",
};

export interface ThemeSwitchProps {
  /** Themes to offer, in this order. Default: system, light, dark, contrast. */
  themes?: readonly Theme[];
  /** Button labels in the page's language. Default: English. */
  labels?: Partial<Record<Theme, string>>;
  /** Accessible name of the group. Default: `Theme`. */
  "aria-label"?: string;
}

/**
 * Renders a form with a button for each theme. It works without JavaScript; with JavaScript the theme changes without a page load.
 * @throws SvcError `SVC_DEFINITION` in an app without `createApp({ themes: true })`.
 * @example
 * <ThemeSwitch themes={["light", "dark"]} labels={{ light: "Day", dark: "Night" }} />
 */
export function ThemeSwitch({ themes = THEMES, labels, "aria-label": name = "Theme" }: ThemeSwitchProps): Markup {
  return new Html(() => {
    const { theme, features } = currentRender();
    if (theme === undefined) {
      throw new SvcError(
        "SVC_DEFINITION",
        "<ThemeSwitch> needs themes, which are not enabled. Enable them with createApp({ themes: true }).",
      );
    }
    features.use("theme");
    const buttons = themes.map(
      (each) =>
        `<button name="theme" value="${escapeAttribute(each)}" aria-pressed="${each === theme}">${escapeText(labels?.[each] ?? LABELS[each])}</button>`,
    );
    return `<form method="post" action="${PATHS.theme}"><div class="svc-segments" role="group" aria-label="${escapeAttribute(name)}">${buttons.join("")}</div></form>`;
  });
}
