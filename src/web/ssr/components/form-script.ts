/** Has a page bring what sends its forms (src/web/client/actions/forms.ts), once, for as many forms as it has. */
import { currentRender } from "../current-page.ts";

export function sendForms(): void {
  currentRender().features.need("forms");
}
