/** `robots.txt`: the paths that crawlers may fetch (RFC 9309), and the address of the sitemap. */
import { SvcError } from "../../index.ts";

export interface RobotsRule {
  /** Product tokens of crawlers: `"GPTBot"`. Default `"*"`: all that no other rule names. */
  userAgent?: string | readonly string[];
  /** Allowed paths, also below a shorter `disallow`; `*` and a final `$` as in RFC 9309. */
  allow?: readonly string[];
  /** Disallowed paths. Default: none. */
  disallow?: readonly string[];
}

const PRODUCT_TOKEN = /^(?:\*|[A-Za-z_-]+)$/;
/** `#` would begin a comment. Encoded as `%23`, it is part of the path (RFC 9309 section 2.2). */
const PATH = /^[/*][^\s#\p{Cc}]*$/u;

/**
 * @param rules default: everything is allowed.
 * @param sitemap absolute URL.
 * @throws SvcError `SVC_DEFINITION` for a name or path that would change the meaning of the file.
 */
export function robotsText(rules: readonly RobotsRule[], sitemap: string | undefined): string {
  const groups = (rules.length === 0 ? [{}] : rules).map(groupText);
  return [...groups, ...(sitemap === undefined ? [] : [`Sitemap: ${sitemap}\n`])].join("\n");
}

function groupText({ userAgent = "*", allow = [], disallow = [] }: RobotsRule): string {
  const lines = [
    ...[userAgent].flat().map((name) => line("User-agent", name, PRODUCT_TOKEN)),
    ...allow.map((path) => line("Allow", path, PATH)),
    ...disallow.map((path) => line("Disallow", path, PATH)),
  ];
  // Crawlers would apply the next group's rules to a group without rules.
  if (allow.length + disallow.length === 0) lines.push("Disallow:\n");
  return lines.join("");
}

function line(name: string, value: string, allowed: RegExp): string {
  if (allowed.test(value)) return `${name}: ${value}\n`;
  const hint = allowed === PATH ? 'a path such as "/private/"' : 'a crawler\'s token such as "GPTBot", or "*"';
  throw new SvcError("SVC_DEFINITION", `seo.robots has ${JSON.stringify(value)} as ${name}; it must be ${hint}`);
}
