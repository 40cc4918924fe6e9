/**
 * Generates callers of an action, with cookies, tokens and origins that are their own, someone else's or forged, and computes whether
 * the contract lets them mutate (section 5). Independent of the code under test.
 */
import fc, { type Arbitrary } from "fast-check";
import type { OddRequest } from "./odd-requests.ts";

/** A visitor that the app created: a cookie and a matching token. */
export interface Visitor {
  cookie: string;
  token: string;
}

export interface Caller {
  request: OddRequest;
  /** Whether the action must run. */
  mayMutate: boolean;
}

/** A cookie or token and its owner; undefined if it is forged. */
interface Owned {
  text: string | undefined;
  owner: Visitor | undefined;
}

const OWN_ORIGIN = "http://localhost";

const FOREIGN = [
  "null",
  "",
  "https://localhost",
  "http://localhost:80",
  "http://localhost:3000",
  "http://evil.localhost",
  "http://localhost.evil.example",
  "http://LOCALHOST",
  "http://localhost/",
  "http://user@localhost",
  "http://localhost, http://localhost",
  "file://",
];
const FOREIGN_SITES = [
  "cross-site",
  "same-site",
  "",
  "Same-Origin",
  "same-origin, same-origin",
  "same-origin;",
  "nothing",
];

/** Replaces one character. */
const changed = (text: string): Arbitrary<string> =>
  fc.tuple(fc.nat(text.length - 2), fc.constantFrom("A", "b", "7", "-", ".", "~")).map(([at, letter]) => {
    const other = text[at] === letter ? "x" : letter;
    return text.slice(0, at) + other + text.slice(at + 1);
  });

const forged = (texts: readonly string[]): Arbitrary<Owned> =>
  fc
    .oneof(
      fc.constantFrom(...texts).chain(changed),
      fc.constantFrom(...texts).map((text) => text.slice(0, -1)),
      fc.constantFrom(...texts).map((text) => `${text}A`),
      fc.stringMatching(/^[\w.-]{0,80}$/),
      fc.constantFrom("undefined", "null", "0", "."),
    )
    .filter((text) => !texts.includes(text))
    .map((text) => ({ text, owner: undefined }));

const nothing = fc.constant<Owned>({ text: undefined, owner: undefined });

/** @param visitors that the app knows. */
export function callers(visitors: readonly Visitor[]): Arbitrary<Caller> {
  const ownedBy = (textOf: (visitor: Visitor) => string): Arbitrary<Owned> =>
    fc.constantFrom(...visitors).map((owner) => ({ text: textOf(owner), owner }));
  const cookies = fc.oneof(
    { weight: 6, arbitrary: ownedBy(({ cookie }) => cookie) },
    forged(visitors.map(({ cookie }) => cookie)),
    nothing,
  );
  const tokens = fc.oneof(
    { weight: 6, arbitrary: ownedBy(({ token }) => token) },
    forged(visitors.map(({ token }) => token)),
    // The cookie's value is not a valid token.
    ownedBy(({ cookie }) => cookie).map(({ text }) => ({ text, owner: undefined })),
    nothing,
  );
  const origins = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(OWN_ORIGIN, undefined) },
    fc.constantFrom(...FOREIGN),
  );
  const sites = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("same-origin", "none", undefined) },
    fc.constantFrom(...FOREIGN_SITES),
  );
  return fc
    .record({ cookie: cookies, tossed: fc.option(cookies, { freq: 3 }), token: tokens, origin: origins, site: sites })
    .map(({ cookie, tossed, token, origin, site }) => {
      const sent = [cookie, ...(tossed ? [tossed] : [])].filter(({ text }) => text !== undefined);
      // If two cookies have the same name, the first one counts.
      const owner = sent[0]?.owner;
      const isFromHere = (origin ?? OWN_ORIGIN) === OWN_ORIGIN && ["same-origin", "none"].includes(site ?? "none");
      return {
        request: callOf({
          cookie: sent.map(({ text }) => `__svc-csrf=${text}`).join("; "),
          token: token.text,
          origin,
          site,
        }),
        mayMutate: isFromHere && owner !== undefined && owner === token.owner,
      };
    });
}

function callOf(given: Record<"cookie" | "token" | "origin" | "site", string | undefined>): OddRequest {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (given.cookie) headers["cookie"] = given.cookie;
  if (given.token !== undefined) headers["x-svc-csrf"] = given.token;
  if (given.origin !== undefined) headers["origin"] = given.origin;
  if (given.site !== undefined) headers["sec-fetch-site"] = given.site;
  return { method: "POST", path: "/_svc/action/echo", headers, body: new TextEncoder().encode('{"args":[]}') };
}
