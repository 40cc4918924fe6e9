/**
 * Makes the live document equal to a freshly rendered one and keeps its elements. That preserves state which HTML does not contain:
 * focus, selection, scroll positions, typed text, playing media, and elements that the user opened.
 */
import { DOM } from "../../../platform/shared/wire.ts";

/** Marks elements that the framework added to the page; the server did not render them. */
export const OWN = DOM.own;

/** Attributes as the server wrote them. A difference from these was set by a script and is kept. */
const written = new WeakMap<Element, ReadonlyMap<string, string>>();
/** Elements that the server rendered empty, for a script to fill. */
const hollow = new WeakSet<Element>();

/** Records the attributes that the server wrote, for an element and its descendants. */
export function remember(root: Element): void {
  for (const element of [root, ...root.querySelectorAll("*")]) note(element, element);
}

function note(element: Element, as: Element): void {
  written.set(element, new Map([...as.attributes].map(({ name, value }) => [name, value])));
  if (as.firstChild) hollow.delete(element);
  else hollow.add(element);
}

/** Drops the record of an element and its descendants, so that the next morph overwrites them completely. */
export function forget(root: Element): void {
  for (const element of [root, ...root.querySelectorAll("*")]) {
    written.delete(element);
    hollow.delete(element);
  }
}

/** Whether an element pairs only with a template of the same chunk. Different pages may be unrelated; renders before and after an edit are not. */
let isByChunk = false;

/**
 * @param options byChunk: an element that is a scope pairs only with one of the same chunk. The same applies to lifecycle triggers such as
 * `on:load`, which run once per element. Default: false.
 * @returns the elements that were inserted.
 */
export function morph(live: Element, next: Element, { byChunk = false } = {}): Element[] {
  const added: Element[] = [];
  isByChunk = byChunk;
  // A widget's stream may have changed it since it was rendered. Drop the record, so that the morph overwrites those changes
  // (ops/client/widgets/live.ts).
  for (const widget of live.querySelectorAll(DOM.liveTag)) forget(widget);
  morphElement(live, next, added);
  return added;
}

function morphElement(live: Element, next: Element, added: Element[]): void {
  morphAttributes(live, next);
  const isFilledByScript = hollow.has(live) && !next.firstChild;
  note(live, next);
  if (isFilledByScript) return;
  const [from, to] =
    live instanceof HTMLTemplateElement && next instanceof HTMLTemplateElement
      ? [live.content, next.content]
      : [live, next];
  morphChildren(from, to, added);
}

/** Does not touch `open`, which belongs to the user. Fields keep typed text, since only their defaults are attributes. */
function morphAttributes(live: Element, next: Element): void {
  const before = written.get(live);
  const names = new Set([...live.getAttributeNames(), ...next.getAttributeNames()]);
  for (const name of names) {
    const value = next.getAttribute(name);
    if (value === live.getAttribute(name)) continue;
    // A shared page does not contain the visitor's theme.
    if (live.tagName === "HTML" && /theme$|^style$/.test(name) && !next.hasAttribute(DOM.theme)) continue;
    if (name === "open" && /^(DETAILS|DIALOG)$/.test(live.tagName)) continue;
    // Before the first morph there is no record, so unknown attributes are taken for those of the page's scripts, such as a theme, and kept.
    if (!before && value === null && /^(HTML|BODY)$/.test(live.tagName) && !isOurs(name)) continue;
    // Keep the nonce: the policy of this page stays in force.
    if (name === "nonce" || (before && (before.get(name) ?? null) === value)) continue;
    if (value === null) live.removeAttribute(name);
    else live.setAttribute(name, value);
  }
}

function isOurs(name: string): boolean {
  return name === DOM.build || name === DOM.prefetch || name.startsWith(DOM.window);
}

function morphChildren(live: ParentNode & Node, next: ParentNode & Node, added: Element[]): void {
  const old = [...live.childNodes].filter((node) => !isForeign(node));
  const fresh = [...next.childNodes].filter((node) => !isForeign(node));
  const partners = pair(old, fresh);
  const kept = new Set(partners);
  for (const node of old) if (!kept.has(node)) node.remove();
  let place: ChildNode | null = nextOwn(live.firstChild);
  fresh.forEach((node, at) => {
    const partner = partners[at];
    if (partner) {
      if (partner instanceof Element) morphElement(partner, node as Element, added);
      else if (partner.nodeValue !== node.nodeValue) partner.nodeValue = node.nodeValue;
      // Pairs keep their order, so any nodes before the partner have just been inserted.
      place = nextOwn(partner.nextSibling);
      return;
    }
    const copy = document.importNode(node, true);
    live.insertBefore(copy, place);
    if (!(copy instanceof Element)) return;
    remember(copy);
    added.push(copy);
  });
}

function nextOwn(node: ChildNode | null): ChildNode | null {
  while (node && isForeign(node)) node = node.nextSibling;
  return node;
}

/** Scripts have run already or must not run, except data scripts. Elements that the framework added belong to no page. */
export function isForeign(node: Node): boolean {
  if (!(node instanceof Element)) return false;
  return node.hasAttribute(OWN) || (node.tagName === "SCRIPT" && !node.getAttribute("type")?.endsWith("json"));
}

/** Maximum number of pairs to compare one by one. Longer lists are paired by index. */
const MAX_COMPARED = 4_000_000;

/** Finds for each new node the old node to reuse: first nodes with equal content, then, between those, nodes of the same kind. */
function pair(old: readonly ChildNode[], fresh: readonly ChildNode[]): (ChildNode | undefined)[] {
  const partners: (ChildNode | undefined)[] = [];
  const anchors = longestCommon(old.map(contentOf), fresh.map(contentOf));
  let [oldFrom, freshFrom] = [0, 0];
  for (const [oldAt, freshAt] of [...anchors, [old.length, fresh.length] as const]) {
    const between = longestCommon(old.slice(oldFrom, oldAt).map(kindOf), fresh.slice(freshFrom, freshAt).map(kindOf));
    for (const [first, second] of between) partners[freshFrom + second] = old[oldFrom + first];
    if (freshAt < fresh.length) partners[freshAt] = old[oldAt];
    [oldFrom, freshFrom] = [oldAt + 1, freshAt + 1];
  }
  return fresh.map((_node, at) => partners[at]);
}

function kindOf(node: ChildNode): string {
  if (!(node instanceof Element)) return node.nodeName;
  const kind = [node.nodeName, ...["id", "name", "type", "href", "src"].map((name) => node.getAttribute(name))].join(
    " ",
  );
  return isByChunk ? `${kind} ${chunkOf(node)}` : kind;
}

function chunkOf(element: Element): string {
  const [, chunk] = element.getAttribute(DOM.scope)?.split(" ") ?? [];
  return [chunk, ...["load", "visible", "idle", "media"].map((moment) => element.getAttribute(DOM.on + moment))].join(
    " ",
  );
}

function contentOf(node: ChildNode): string {
  return `${kindOf(node)} ${node.textContent}`;
}

/** Indices of a longest common subsequence. */
function longestCommon(left: readonly string[], right: readonly string[]): (readonly [number, number])[] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let [leftEnd, rightEnd] = [left.length, right.length];
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1])
    [leftEnd, rightEnd] = [leftEnd - 1, rightEnd - 1];
  const head = Array.from({ length: start }, (_, at) => [at, at] as const);
  const tail = Array.from({ length: left.length - leftEnd }, (_, at) => [leftEnd + at, rightEnd + at] as const);
  const middle = compared(left.slice(start, leftEnd), right.slice(start, rightEnd));
  return [...head, ...middle.map(([a, b]) => [a + start, b + start] as const), ...tail];
}

function compared(left: readonly string[], right: readonly string[]): (readonly [number, number])[] {
  const width = right.length + 1;
  if ((left.length + 1) * width > MAX_COMPARED) {
    return left.flatMap((text, at) => (text === right[at] ? [[at, at] as const] : []));
  }
  // lengths[a, b]: longest common subsequence of left from a and right from b.
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let a = left.length - 1; a >= 0; a--) {
    for (let b = right.length - 1; b >= 0; b--) {
      lengths[a * width + b] =
        left[a] === right[b]
          ? lengths[(a + 1) * width + b + 1]! + 1
          : Math.max(lengths[(a + 1) * width + b]!, lengths[a * width + b + 1]!);
    }
  }
  const found: [number, number][] = [];
  for (let a = 0, b = 0; a < left.length && b < right.length;) {
    if (left[a] === right[b]) found.push([a++, b++]);
    else if (lengths[(a + 1) * width + b]! >= lengths[a * width + b + 1]!) a++;
    else b++;
  }
  return found;
}
