/** Themes for visitors, shared by server and browser. `system` follows the browser; `contrast` does too, with stronger colors. */

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

/** Parses the theme in a cookie or form; undefined if it is not a theme. */
export function themeOf(raw: string | undefined): Theme | undefined {
  return THEMES.find((theme) => theme === raw);
}

/** The CSS property `color-scheme` of a page with this theme. */
export const schemeOf = (theme: string): string => (theme === "light" || theme === "dark" ? theme : "light dark");
