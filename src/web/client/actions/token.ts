/**
 * `token.js`: fetches the visitor's CSRF token for a page that is cached for everybody. Scopes name this module beside their chunk,
 * so the token is present before their handlers run. A failure makes the import fail, and the loader retries it.
 */
import { PATHS } from "../../../platform/shared/wire.ts";
import { pageState } from "../runtime/core.ts";

const state = pageState();
if (!state.csrf_token) {
  const response = await fetch(PATHS.token);
  if (!response.ok) throw response.statusText;
  state.csrf_token = await response.text();
}
