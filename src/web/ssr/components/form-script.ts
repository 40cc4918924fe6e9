/** Adds the script that submits forms (src/web/client/actions/forms.ts) to the page, once for all forms. */
import { currentRender } from "../current-page.ts";

export function sendForms(): void {
  currentRender().features.need("forms");
}
