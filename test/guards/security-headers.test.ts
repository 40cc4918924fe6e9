/**
 * The guide documents the security headers that svc sends, and this file has a reason for each difference from common defaults.
 * Lists: helmet 8's defaults (its readme), the OWASP Secure Headers Project's "headers to add" and best practices.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { withFixture } from "../contract/app.ts";
import { root } from "./source.ts";

/** The names of the options in their interface. */
function optionNames(): string[] {
  const source = readFileSync(join(root, "src/platform/security/headers.ts"), "utf8");
  const body = /export interface SecurityHeaderOptions \{\n([^]*?)\n\}/.exec(source)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name = ""]) => name);
}

interface Row {
  option: string;
  header: string;
  default: string;
  cost: string;
}

function tableRows(): Row[] {
  const page = readFileSync(join(root, "docs/guide/security.md"), "utf8");
  return [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)].map(
    ([, option = "", header = "", value = "", cost = ""]) => ({ option, header, default: value, cost }),
  );
}

/** The headers of a page over HTTPS. */
async function sent(): Promise<Headers> {
  let headers = new Headers();
  await withFixture(async ({ app }) => {
    ({ headers } = await app.fetch(new Request("https://localhost/plain")));
  });
  return headers;
}

const SAME = Symbol("the same");

/** Header -> helmet's value, and why ours differs. */
const HELMET: Record<string, [value: string, reason: string | typeof SAME]> = {
  "cross-origin-opener-policy": ["same-origin", SAME],
  "cross-origin-resource-policy": ["same-origin", SAME],
  "strict-transport-security": ["max-age=31536000; includeSubDomains", SAME],
  "x-content-type-options": ["nosniff", SAME],
  "referrer-policy": [
    "no-referrer",
    "other sites learn the origin, not the path; analytics and sign-in flows need that much",
  ],
  "x-frame-options": ["SAMEORIGIN", "ours is DENY, which is stricter"],
  "origin-agent-cluster": [
    "?1",
    "browsers that support it use origin-keyed agent clusters without it; it costs bytes on every response",
  ],
  "x-dns-prefetch-control": [
    "off",
    "browsers don't prefetch DNS names on HTTPS pages unless a page requests it; never a standard",
  ],
  "x-download-options": ["noopen", "read by Internet Explorer 8 alone"],
  "x-permitted-cross-domain-policies": [
    "none",
    "read by Flash and Acrobat plug-ins, which no browser runs; without a policy file none is permitted",
  ],
  "x-xss-protection": ["0", "no current browser has the auditor that it turns off"],
};

/** Directive of helmet's policy -> helmet's value, and why ours differs. */
const HELMET_CSP: Record<string, [value: string, reason: string | typeof SAME]> = {
  "default-src": ["'self'", SAME],
  "base-uri": ["'self'", SAME],
  "form-action": ["'self'", SAME],
  "img-src": ["'self' data:", SAME],
  "object-src": ["'none'", SAME],
  "font-src": [
    "'self' https: data:",
    "ours falls back to 'self', because fonts of any https site can be used to read page content",
  ],
  "frame-ancestors": ["'self'", "ours is 'none', like X-Frame-Options"],
  "script-src": ["'self'", "ours requires a nonce, because 'self' alone lets uploads of the site run"],
  "script-src-attr": ["'none'", "with a nonce in script-src, handlers in attributes are refused already"],
  "style-src": ["'self' https: 'unsafe-inline'", "ours requires a nonce; only style attributes are allowed"],
  "upgrade-insecure-requests": [
    "",
    "would break development over plain HTTP; HSTS has the same effect for the site, and an option adds it",
  ],
};

/** Header -> OWASP's recommendation, and why ours differs. */
const OWASP: Record<string, [value: string, reason: string | typeof SAME]> = {
  "cross-origin-opener-policy": ["same-origin", SAME],
  "cross-origin-resource-policy": ["same-origin", SAME],
  "x-content-type-options": ["nosniff", SAME],
  "strict-transport-security": ["max-age=31536000; includeSubDomains", SAME],
  "x-frame-options": ["deny", SAME],
  "referrer-policy": ["no-referrer", HELMET["referrer-policy"]?.[1] ?? ""],
  "cross-origin-embedder-policy": ["require-corp", "stops images and frames of sites that don't take part; an option"],
  "permissions-policy": [
    "every feature closed",
    "ours closes features that read a visitor's surroundings; an app closes more by name",
  ],
  "x-permitted-cross-domain-policies": ["none", HELMET["x-permitted-cross-domain-policies"]?.[1] ?? ""],
  "x-dns-prefetch-control": ["off", HELMET["x-dns-prefetch-control"]?.[1] ?? ""],
  "cache-control": [
    "no-store, max-age=0",
    "pages are private, no-cache: the back button keeps working, and shared caches don't keep them",
  ],
  "clear-site-data": ['"cache","cookies","storage"', "belongs to sign-out responses, which the app sends"],
};

function compare(ours: (name: string) => string | undefined, theirs: typeof HELMET): string[] {
  return Object.entries(theirs).flatMap(([name, [value, reason]]) => {
    const isSame = ours(name)?.toLowerCase() === value.toLowerCase();
    if (isSame === (reason === SAME)) return [];
    return [`${name}: ${ours(name)} beside ${value}${isSame ? " needs no reason" : " without a reason"}`];
  });
}

describe("security headers", () => {
  it("are all in the table of the guide, with the default that is sent and the effect of a change", async () => {
    const rows = tableRows();
    assert.deepEqual(
      rows.map(({ option }) => option),
      optionNames(),
    );
    const headers = await sent();
    for (const row of rows) {
      const [, name = ""] = /^`([\w-]+)`/.exec(row.header) ?? [];
      const [, value] = /^`(.+)`$/.exec(row.default) ?? [];
      if (value !== undefined && value !== "false") assert.equal(headers.get(name), value, row.option);
      if (row.default === "not sent") assert.equal(headers.get(name), null, row.option);
      assert.ok(row.cost.length > 20, row.option);
    }
  });

  it("differ from helmet's only with a reason", async () => {
    const headers = await sent();
    assert.deepEqual(
      compare((name) => headers.get(name) ?? undefined, HELMET),
      [],
    );
    const policy = new Map(
      (headers.get("content-security-policy") ?? "").split("; ").map((part) => {
        const [name = "", ...sources] = part.split(" ");
        return [name, sources.join(" ")];
      }),
    );
    assert.deepEqual(
      compare((name) => policy.get(name), HELMET_CSP),
      [],
    );
  });

  it("differ from OWASP's only with a reason", async () => {
    const headers = await sent();
    assert.deepEqual(
      compare((name) => headers.get(name) ?? undefined, OWASP),
      [],
    );
  });

  it("reveal nothing about the server's software", async () => {
    const headers = await sent();
    for (const name of ["server", "x-powered-by", "x-aspnet-version", "via"])
      assert.equal(headers.get(name), null, name);
  });

  it("are checked: a difference is detected", () => {
    assert.equal(compare(() => "sniff", { "x-content-type-options": ["nosniff", SAME] }).length, 1);
    assert.equal(compare(() => "nosniff", { "x-content-type-options": ["nosniff", "planted"] }).length, 1);
  });
});
