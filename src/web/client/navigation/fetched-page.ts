/** Parses a fetched page into a document that this one can become: with this page's nonce and with deferred content in place. */
import { DOM, HEADERS, TRUSTED_TYPES_POLICY } from "../../../platform/shared/wire.ts";
import { ownNonce } from "./page-scripts.ts";
import type { MoreState, PageState } from "../runtime/types.ts";

/** This page's policy applies to the new page as well, so its nonces are replaced by this page's. */
export async function parsePage(response: Response): Promise<Document> {
  const text = await response.text();
  const policy = response.headers.get(HEADERS.policy) ?? "";
  bringPolicy(policy);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  const own = nonce ? text.replaceAll(nonce, ownNonce()) : text;
  const next = new DOMParser().parseFromString(self.$html?.(own) ?? own, "text/html");
  placePieces(next);
  // DOMParser parses noscript content as elements. Turn it into text, as in the live page, so that its styles do not apply.
  for (const element of next.querySelectorAll("noscript")) element.textContent = element.innerHTML;
  return next;
}

/** The Trusted Types API. */
interface PolicyMaker {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML: (html: string) => string };
}

/** Creates the Trusted Types policy if the new page requires it and this page, having no scripts, has not created it. */
function bringPolicy(contentPolicy: string): void {
  const { trustedTypes } = self as unknown as { trustedTypes?: PolicyMaker };
  if (self.$html || !trustedTypes || !contentPolicy.includes("require-trusted-types-for")) return;
  const policy = trustedTypes.createPolicy(TRUSTED_TYPES_POLICY, { createHTML: (html) => html });
  self.$html = (html) => policy.createHTML(html);
}

/** The state script of a page as the server wrote it; undefined if nothing on the page is interactive. */
export function stateOf(page: Document): PageState | undefined {
  const script = page.querySelector(`script#${DOM.stateId}`);
  return script ? (JSON.parse(script.textContent) as PageState) : undefined;
}

export function writeState(page: Document, state: PageState): void {
  const text = page.querySelector(`script#${DOM.stateId}`)?.firstChild;
  // Set on the text node: Trusted Types forbids setting the text of any script element, whatever its type.
  if (text) text.nodeValue = JSON.stringify(state);
}

/** Does the work of `$piece` and `stream.js` in a document that runs no scripts. */
function placePieces(next: Document): void {
  const state = stateOf(next);
  for (const script of next.querySelectorAll(`script[${DOM.more}]`)) {
    if (state) addTo(state, JSON.parse(script.textContent) as MoreState);
    script.remove();
  }
  for (const host of next.querySelectorAll(`[${DOM.piece}]`)) {
    const { content } = host.querySelector("template") ?? {};
    content?.lastElementChild?.remove();
    if (content) next.querySelector(`[${DOM.wait}="${host.getAttribute(DOM.piece)}"]`)?.replaceWith(content);
    host.remove();
  }
  if (state) writeState(next, state);
}

function addTo(state: PageState, { s, v, n, d, r, u }: MoreState): void {
  Object.assign(state.s, s);
  Object.assign(state.n, n);
  state.v.push(...v);
  state.d?.push(...(d ?? []));
  for (const [index, ids] of Object.entries(r)) {
    const row = state.v[Number(index)];
    if (row) row[2] = [...(row[2] ?? []), ...ids];
  }
  for (const [index, [kind, json]] of Object.entries(u)) state.v[Number(index)]?.splice(0, 2, kind, json);
}
