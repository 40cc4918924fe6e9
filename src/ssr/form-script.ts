/** Has a page bring what sends its forms (src/browser/forms.ts), once, for as many forms as it has. */
import { currentRender } from "./current.ts";

export function sendForms(): void {
  currentRender().features.need("forms");
}
