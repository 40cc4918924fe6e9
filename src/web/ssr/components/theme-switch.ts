/** `<ThemeSwitch>`: visitors choose light, dark, strong contrast or what their system has. Which one a page has the server knows by a cookie. */
import type { Markup } from "../../jsx/element.ts";
import { escapeAttribute, escapeText } from "../../../platform/shared/escape.ts";
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
  /** Which ones, in this order. Default: system, light, dark, contrast. */
  themes?: readonly Theme[];
  /** In the page's language. Default: English. */
  labels?: Partial<Record<Theme, string>>;
  /** Name of the group for those who don't see it. Default: `Theme`. */
  "aria-label"?: string;
}

/**
 * A button for each theme. A form, which works without JavaScript; with it the page changes at once.
 * @throws SvcError `SVC_DEFINITION` in an app without `createApp({ themes: true })`.
 */
export function ThemeSwitch({ themes = THEMES, labels, "aria-label": name = "Theme" }: ThemeSwitchProps): Markup {
  return new Html(() => {
    const { theme, features } = currentRender();
    if (theme === undefined) {
      throw new SvcError(
        "SVC_DEFINITION",
        "<ThemeSwitch> stands in an app without themes: createApp({ themes: true })",
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
