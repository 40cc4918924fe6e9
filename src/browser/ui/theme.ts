/** `ui-theme.js`: a theme that is chosen is there at once, and kept in the cookie that the server reads. */
import { schemeOf } from "../../shared/themes.ts";
import { COOKIES, DOM, PATHS } from "../../shared/wire.ts";

/** A year, as the server has it. */
const SECONDS = 31_536_000;

addEventListener("submit", (event) => {
  const chosen = event.submitter?.getAttribute("value");
  const form = `form[action="${PATHS.theme}"]`;
  if (!chosen || !(event.target as Element).matches(form)) return;
  event.preventDefault();
  const root = document.documentElement;
  root.setAttribute(DOM.theme, chosen);
  root.style.colorScheme = schemeOf(chosen);
  document.cookie = `${COOKIES.theme}=${chosen};path=/;max-age=${SECONDS};samesite=lax${location.protocol === "https:" ? ";secure" : ""}`;
  for (const button of document.querySelectorAll(`${form} button`))
    button.setAttribute("aria-pressed", String(button.getAttribute("value") === chosen));
});
