/** The CSRF token as a hidden field, for forms that are sent without script. */
import { escapeAttribute } from "../../../platform/shared/html/escape.ts";
import { CSRF_FIELD } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";

/**
 * `<CsrfField />` inside a `<form method="post">`.
 * @example
 * <form method="post" action="/votes">
 *   <CsrfField />
 *   <button>Vote</button>
 * </form>
 */
export function CsrfField(): Html {
  return new Html(
    () => `<input type="hidden" name="${CSRF_FIELD}" value="${escapeAttribute(currentRender().csrfToken())}">`,
  );
}
