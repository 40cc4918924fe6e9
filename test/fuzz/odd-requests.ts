/** Well-formed requests with odd queries, cookies, headers and forms. */
import fc, { type Arbitrary } from "fast-check";
import { API_KEY, type Target } from "./app.ts";

const noise = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.stringMatching(/^[%&=;+,"\\\w ]{0,40}$/),
  fc.constantFrom(
    "<fuzz>",
    '"onfuzz="',
    "%3Cfuzz%3E",
    "%22onfuzz",
    "%00",
    "%C3%28",
    "%uD800",
    "__proto__=1",
    "a[]=1&a[]=2",
    "=".repeat(500),
  ),
);
/** Characters that are valid in a header. */
const headerValue = noise.map((text) => text.replace(/[^\t\x20-\x7e]/g, "?").trim());

export interface OddRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
}

/** Reads with odd queries, cookies and headers. */
export const oddReads: Arbitrary<OddRequest> = fc
  .record({
    path: fc.constantFrom(
      "/show/x",
      "/request",
      "/files/a",
      "/file.txt",
      "/session",
      "/_svc/loader.js",
      "/_svc/demo",
      "/_svc/demo/webhook-inbox",
      "/nowhere",
      "/_svc/webhooks",
      "/_svc/deliveries",
      "/_svc/graphs",
    ),
    segment: fc.oneof(
      { weight: 2, arbitrary: fc.constant("") },
      noise.map((text) => `/${encodeURIComponent(text)}`),
    ),
    query: noise.map((text) => text.replace(/[^\x21-\x7e]|#/g, "+")),
    headers: fc.dictionary(
      fc.constantFrom(
        "accept",
        "accept-encoding",
        "accept-language",
        "authorization",
        "cookie",
        "if-none-match",
        "if-modified-since",
        "if-match",
        "if-unmodified-since",
        "if-range",
        "range",
        "x-request-id",
        "x-forwarded-for",
        "x-forwarded-proto",
        "last-event-id",
        "traceparent",
        "origin",
        "x-svc-graph-token",
      ),
      headerValue,
      { maxKeys: 5 },
    ),
    range: fc.option(fc.stringMatching(/^bytes ?=[\d\-, ]{0,20}$/), { freq: 2 }),
    coding: fc.option(fc.constantFrom("gzip", "br", "gzip;q=0, br", "*", "identity;q=0", "gzip, br;q=0.1, *;q=0"), {
      freq: 2,
    }),
    isOperator: fc.boolean(),
  })
  .map(({ path, segment, query, headers, range, coding, isOperator }) => ({
    method: "GET",
    path: `${path}${segment}?${query}`,
    headers: {
      ...headers,
      ...(range === null ? {} : { range }),
      ...(coding === null ? {} : { "accept-encoding": coding }),
      ...(isOperator ? { authorization: `Bearer ${API_KEY}` } : {}),
    },
  }));

const part = fc
  .record({ head: noise, name: noise, file: fc.option(noise), body: noise })
  .map(({ head, name, file, body }) => {
    const filename = file === null ? "" : `; filename="${file}"`;
    return `Content-Disposition: form-data; name="${name}"${filename}\r\n${head}\r\n\r\n${body}`;
  });
const multipart = fc
  .record({ parts: fc.array(part, { maxLength: 4 }), end: fc.constantFrom("--\r\n", "--", "\r\n", "") })
  .map(({ parts, end }) => ({
    type: "multipart/form-data; boundary=B",
    body: `${parts.map((text) => `--B\r\n${text}\r\n`).join("")}--B${end}`,
  }));
const otherForm = fc.record({
  type: fc.oneof(
    fc.constantFrom(
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "multipart/form-data; boundary=",
      'multipart/form-data; boundary="B',
      "multipart/form-data; boundary=-",
      "Application/X-WWW-Form-URLencoded ; charset=x",
      "multipart/form-data; charset=latin1; boundary=B",
    ),
    headerValue,
  ),
  body: noise,
});

/** Forms with a valid token and otherwise odd content. */
export function oddForms({ session }: Target): Arbitrary<OddRequest> {
  return fc
    .record({
      form: fc.oneof(multipart, otherForm),
      path: fc.constantFrom("/form", "/_svc/submit/upload"),
      isTokenInForm: fc.boolean(),
    })
    .map(({ form, path, isTokenInForm }) => ({
      method: "POST",
      path,
      headers: {
        cookie: session.cookie,
        "content-type": form.type,
        ...(isTokenInForm ? {} : { "x-svc-csrf": session.token }),
      },
      body: new TextEncoder().encode(isTokenInForm ? `_csrf=${session.token}&${form.body}` : form.body),
    }));
}
