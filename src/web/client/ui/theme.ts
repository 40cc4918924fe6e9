/** `ui-theme.js`: applies a chosen theme at once and stores it in the cookie that the server reads. */
import { schemeOf } from "../../../platform/shared/themes.ts";
import { COOKIES, DOM, PATHS } from "../../../platform/shared/wire.ts";

/** One year, as on the server. */
const SECONDS = 31_536_000;

const FORM = `form[action="${PATHS.theme}"]`;
const root = document.documentElement;

const press = (): void =>
  document
    .querySelectorAll<HTMLButtonElement>(`${FORM} button`)
    .forEach((button) => (button.ariaPressed = `${button.value === root.getAttribute(DOM.theme)}`));

// A shared page was rendered without the visitor's choice.
press();

addEventListener("submit", (event) => {
  const chosen = (event.submitter as HTMLButtonElement | null)?.value;
  if (!chosen || !(event.target as Element).matches(FORM)) return;
  event.preventDefault();
  root.setAttribute(DOM.theme, chosen);
  root.style.colorScheme = schemeOf(chosen);
  document.cookie = `${COOKIES.theme}=${chosen};path=/;max-age=${SECONDS};samesite=lax${location.protocol === "https:" ? ";secure" : ""}`;
  press();
});
