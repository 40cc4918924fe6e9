/** Parses HTML from the server into elements, and updates running durations between server updates. */
import type {} from "../../../web/client/bindings/template.ts";
import { TRUSTED_TYPES_POLICY } from "../../../platform/shared/wire.ts";

interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): string };
}

/** Creates the Trusted Types policy if the app enforces Trusted Types and no other script of the page created it. */
function trusted(html: string): string {
  const factory = (self as { trustedTypes?: PolicyFactory }).trustedTypes;
  if (factory && !self.$html) {
    const policy = factory.createPolicy(TRUSTED_TYPES_POLICY, { createHTML: String });
    self.$html = (text) => policy.createHTML(text);
  }
  return self.$html?.(html) ?? html;
}

/** @param html elements, from this server only @param near an element of the kind that will surround them */
export function parsed(html: string, near: Element): Element[] {
  const template = document.createElement("template");
  const isSvg = near.namespaceURI === "http://www.w3.org/2000/svg" && near.localName !== "svg";
  template.innerHTML = trusted(isSvg ? `<svg>${html}</svg>` : html);
  const top = isSvg ? template.content.firstElementChild! : template.content;
  return [...top.children];
}

/**
 * Updates the elapsed times of running elements and the remaining times of waiting ones. @param nowMs the server's current time, because
 * the times are the server's
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
