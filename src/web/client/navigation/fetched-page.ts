/** A page that was fetched, as a document that this one can become: with this page's nonce, and with its late pieces in place. */
import { DOM, HEADERS, TRUSTED_TYPES_POLICY } from "../../../platform/shared/wire.ts";
import { ownNonce } from "./page-scripts.ts";
import type { MoreState, PageState } from "../runtime/types.ts";

/** The policy of this page holds for the parsed one too, so its nonce must be this page's. */
export async function parsePage(response: Response): Promise<Document> {
  const text = await response.text();
  const policy = response.headers.get(HEADERS.policy) ?? "";
  bringPolicy(policy);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  const own = nonce ? text.replaceAll(nonce, ownNonce()) : text;
  const next = new DOMParser().parseFromString(self.$html?.(own) ?? own, "text/html");
  placePieces(next);
  // Here scripts run, so what is in there is text, as in the page's own: styles for who has none would apply.
  for (const element of next.querySelectorAll("noscript")) element.textContent = element.innerHTML;
  return next;
}

/** What browsers with Trusted Types have. */
interface PolicyMaker {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML: (html: string) => string };
}

/** In apps with Trusted Types HTML goes by the policy that pages with scripts bring; one without has none yet. */
function bringPolicy(contentPolicy: string): void {
  const { trustedTypes } = self as unknown as { trustedTypes?: PolicyMaker };
  if (self.$html || !trustedTypes || !contentPolicy.includes("require-trusted-types-for")) return;
  const policy = trustedTypes.createPolicy(TRUSTED_TYPES_POLICY, { createHTML: (html) => html });
  self.$html = (html) => policy.createHTML(html);
}

/** The state script of a page, as the server wrote it; undefined where nothing is interactive. */
export function stateOf(page: Document): PageState | undefined {
  const script = page.querySelector(`script#${DOM.stateId}`);
  return script ? (JSON.parse(script.textContent) as PageState) : undefined;
}

export function writeState(page: Document, state: PageState): void {
  const text = page.querySelector(`script#${DOM.stateId}`)?.firstChild;
  // Its node: under Trusted Types what is in scripts is not to be set, whatever their type.
  if (text) text.nodeValue = JSON.stringify(state);
}

/** As `$piece` and `stream.js` do, in a document that runs no script. */
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
