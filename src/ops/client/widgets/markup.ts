/** HTML that the server sent, as elements; and lengths of time that go on while nothing is sent. */
import type {} from "../../../web/client/bindings/template.ts";
import { TRUSTED_TYPES_POLICY } from "../../../platform/shared/wire.ts";

interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): string };
}

/** Where the app asks for Trusted Types and no other script of the page has made the policy. */
function trusted(html: string): string {
  const factory = (self as { trustedTypes?: PolicyFactory }).trustedTypes;
  if (factory && !self.$html) {
    const policy = factory.createPolicy(TRUSTED_TYPES_POLICY, { createHTML: String });
    self.$html = (text) => policy.createHTML(text);
  }
  return self.$html?.(html) ?? html;
}

/** @param html of elements, from this server alone @param near an element of the kind that they will stand beside */
export function parsed(html: string, near: Element): Element[] {
  const template = document.createElement("template");
  const isSvg = near.namespaceURI === "http://www.w3.org/2000/svg" && near.localName !== "svg";
  template.innerHTML = trusted(isSvg ? `<svg>${html}</svg>` : html);
  const top = isSvg ? template.content.firstElementChild! : template.content;
  return [...top.children];
}

/**
 * Writes how long things that go on have taken so far, and in what time those that wait go on.
 * @param nowMs by the clock of the server, whose times they are
 */
export function tick(root: ParentNode, nowMs: number): void {
  for (const element of root.querySelectorAll<HTMLElement | SVGElement>("[data-since],[data-until]")) {
    const { since, until } = element.dataset;
    const seconds = (nowMs - Number(since ?? until)) / 1000;
    const text = until === undefined ? lengthText(seconds) : `in ${lengthText(-seconds)}`;
    if (element.textContent !== text) element.textContent = text;
  }
}

function lengthText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (large: number, small: number, names: string): string => {
    const [first, second] = names.split("");
    return `${Math.floor(whole / large)} ${first} ${String(Math.floor((whole % large) / small)).padStart(2, "0")} ${second}`;
  };
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return two(60, 1, "ms");
  return whole < 86_400 ? two(3600, 60, "hm") : two(86_400, 3600, "dh");
}
