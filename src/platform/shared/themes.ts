/** Themes that visitors may choose among, the same on both sides. `system` is as their browser says; `contrast` is that with stronger colours. */

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

/** What a cookie or a form says, if it is a theme. */
export function themeOf(raw: string | undefined): Theme | undefined {
  return THEMES.find((theme) => theme === raw);
}

/** The CSS property `color-scheme` of a page with this theme. */
export const schemeOf = (theme: string): string => (theme === "light" || theme === "dark" ? theme : "light dark");
