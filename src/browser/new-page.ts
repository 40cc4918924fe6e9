/** A page that was fetched, as a document that this one can become: with this page's nonce, and with its late pieces in place. */
import { DOM, TRUSTED_TYPES_POLICY } from "../shared/wire.ts";
import { ownNonce } from "./page-scripts.ts";
import type { MoreState, PageState } from "./types.ts";

/** The policy of this page holds for the parsed one too, so its nonce must be this page's. */
export async function parsePage(response: Response): Promise<Document> {
  const text = await response.text();
  const nonce = /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1];
  const own = nonce ? text.replaceAll(nonce, ownNonce()) : text;
  const next = parsed(own);
  placePieces(next);
  // Here scripts run, so what is in there is text, as in the page's own: styles for who has none would apply.
  for (const element of next.querySelectorAll("noscript")) element.textContent = element.innerHTML;
  return next;
}

/** As text, or, in apps with Trusted Types, by the policy of pages with scripts; one without has none yet. */
function parsed(text: string): Document {
  const parser = new DOMParser();
  try {
    return parser.parseFromString(self.$html?.(text) ?? text, "text/html");
  } catch (error) {
    const { trustedTypes } = self as unknown as { trustedTypes?: PolicyMaker };
    if (!trustedTypes) throw error;
    policy ??= trustedTypes.createPolicy(TRUSTED_TYPES_POLICY, { createHTML: (html) => html });
    return parser.parseFromString(policy.createHTML(text), "text/html");
  }
}

interface Policy {
  createHTML(html: string): string;
}

/** What browsers with Trusted Types have. */
interface PolicyMaker {
  createPolicy(name: string, rules: Policy): Policy;
}

let policy: Policy | undefined;

/** The state script of a page, as the server wrote it; undefined where nothing is interactive. */
export function stateOf(page: Document): PageState | undefined {
  const script = page.querySelector(`script#${DOM.stateId}`);
  return script ? (JSON.parse(script.textContent) as PageState) : undefined;
}

export function writeState(page: Document, state: PageState): void {
  const script = page.querySelector(`script#${DOM.stateId}`);
  if (script) script.textContent = JSON.stringify(state);
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
