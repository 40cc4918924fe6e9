/**
 * `token.js`: fetches the CSRF token of the visitor for a page that is the same for everybody. A module that scopes name beside
 * their chunk, so it is there before their handlers run. What fails makes the import fail, which the loader tries again.
 */
import { PATHS } from "../../../platform/shared/wire.ts";
import { pageState } from "../runtime/core.ts";

const state = pageState();
if (!state.csrf_token) {
  const response = await fetch(PATHS.token);
  if (!response.ok) throw response.statusText;
  state.csrf_token = await response.text();
}
