/** Raw bytes and requests for a socket: random, valid, and valid with a few mutations. */
import fc, { type Arbitrary } from "fast-check";
import { API_KEY, type Target } from "./app.ts";

/** Random bytes, some with the beginning of a known protocol. */
export const randomBytes: Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 600 }),
  fc
    .tuple(
      fc.constantFrom(
        "GET ",
        "POST /_svc/action/echo HTTP/1.1\r\n",
        "\x16\x03\x01",
        "PRI * HTTP/2.0\r\n\r\n",
        "\r\n\r\n",
        "GET / HTTP/1.1\r\n",
      ),
      fc.uint8Array({ maxLength: 300 }),
    )
    .map(([start, rest]) => Buffer.concat([Buffer.from(start, "latin1"), rest])),
);

const DATE = "Sat, 21 Nov 2026 14:00:00 GMT";

/** Valid requests as latin1 text: one character per byte. */
export function validRequests({ session }: Target): string[] {
  const host = "Host: localhost\r\nConnection: close\r\n";
  const mutation = `Cookie: ${session.cookie}\r\nX-Svc-CSRF: ${session.token}\r\nSec-Fetch-Site: same-origin\r\n`;
  const operator = `Authorization: Bearer ${API_KEY}\r\n`;
  const send = (start: string, headers: string, body = ""): string => {
    const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
    return `${start} HTTP/1.1\r\n${host}${headers}${length}\r\n${body}`;
  };
  const jsonType = "Content-Type: application/json\r\n";
  const boundary = "xXxBoundaryxXx";
  const multipart =
    `--${boundary}\r\nContent-Disposition: form-data; name="title"\r\n\r\nmilk\r\n` +
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nabc\r\n--${boundary}--\r\n`;
  return [
    send("GET /show/this?a=1&b=%20x", "Accept: text/html,*/*;q=0.8\r\nCookie: a=b; c=d\r\nX-Request-Id: abc\r\n"),
    send("HEAD /show/that", "Accept-Encoding: gzip, br;q=0.5\r\n"),
    send("GET /_svc/loader.js", 'Accept-Encoding: br\r\nIf-None-Match: "x", W/"y"\r\nRange: bytes=0-99\r\n'),
    send(
      "GET /request?x=%41",
      "X-Forwarded-For: 1.2.3.4, 10.0.0.1\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example\r\n",
    ),
    send("GET /files/a/b%2Fc", "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"),
    send("GET /health", ""),
    send("GET /session", "Cookie: signed=x.y; __svc-session=abc\r\n"),
    send("GET /file.txt", `Range: bytes=0-1, 5-, -3\r\nIf-Range: "x"\r\nIf-Unmodified-Since: ${DATE}\r\n`),
    send("POST /_svc/action/each", `${mutation}${jsonType}Accept: application/x-ndjson\r\n`, '{"args":[1,2,3]}'),
    send("POST /_svc/action/echo", `${mutation}${jsonType}Idempotency-Key: "key-1"\r\n`, '{"args":[1]}'),
    send(
      "POST /_svc/csp-report",
      "Content-Type: application/csp-report\r\n",
      '{"csp-report":{"blocked-uri":"inline"}}',
    ),
    send("POST /_svc/action/echo", mutation + jsonType, '{"args":[1,{"a":[true,null]}]}'),
    send("POST /_svc/action/addTodo", mutation + jsonType, '{"args":[{"title":"milk"}]}'),
    send("POST /form", `${mutation}Content-Type: application/x-www-form-urlencoded\r\n`, "title=milk&x=%C3%BC+y"),
    send("POST /form", `${mutation}Content-Type: multipart/form-data; boundary=${boundary}\r\n`, multipart),
    send("POST /open", "Expect: 100-continue\r\n", "abc"),
    `POST /open HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: x\r\n\r\n`,
    send("GET /_svc/webhooks?limit=10", operator),
    send("GET /_svc/graphs?status=done&limit=2", operator),
    send("POST /_svc/graphs", operator + jsonType, '{"worker":"double","input":{"value":1},"idempotency_key":"once"}'),
    send("GET /_svc/metrics", operator),
    send("OPTIONS /show/this", ""),
    `GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n${send("GET /show/second", "")}`,
  ];
}

type Mutate = (text: string) => string;

const at = (text: string, share: number): number => Math.floor(share * text.length);
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Changes one header line, chosen by its relative position. */
function onLine(text: string, place: number, change: (line: string) => string): string {
  const end = text.indexOf("\r\n\r\n");
  const lines = text.slice(0, Math.max(end, 0)).split("\r\n");
  const index = at(lines.join(), place) % lines.length;
  return (
    [...lines.slice(0, index), change(lines[index] ?? ""), ...lines.slice(index + 1)].join("\r\n") + text.slice(end)
  );
}

const headerNoise = fc.constantFrom(
  "Content-Length: 5", "Content-Length: -1", "Content-Length: 99999999999999999999", "Transfer-Encoding: chunked",
  "Transfer-Encoding: identity, chunked", "Host: other.example", "Content-Type: text/plain", "Expect: 200-ok",
  "Connection: keep-alive, upgrade", "Upgrade: websocket", "Content-Encoding: gzip", "__proto__: x", "constructor: x",
  "X-Forwarded-Proto: javascript", "X-Forwarded-Host: a b", "X-Forwarded-For: ,,,", "Range: bytes=9-1,-,x",
  "If-None-Match: ,\"", "Cookie: =;;=a; __proto__=x", "Origin: null", "X-Request-Id: \x7f\x01", "Authorization: Bearer",
  "Accept-Encoding: ;q=,*;q=9", "Accept: ,;=", "Last-Event-ID: -1", " folded", ": none", "a\x00b: c", "Trailer: x",
); // prettier-ignore

const mutation: Arbitrary<Mutate> = fc.oneof(
  fc.tuple(share, fc.nat(7)).map(([place, bit]): Mutate => (text) => {
    const index = at(text, place);
    const flipped = String.fromCharCode(text.charCodeAt(index) ^ (1 << bit));
    return text.slice(0, index) + flipped + text.slice(index + 1);
  }),
  share.map(
    (place): Mutate =>
      (text) =>
        text.slice(0, at(text, place)),
  ),
  share.map(
    (place): Mutate =>
      (text) =>
        onLine(text, place, (line) => `${line}\r\n${line}`),
  ),
  share.map(
    (place): Mutate =>
      (text) =>
        onLine(text, place, () => "X-Nothing: here"),
  ),
  fc.tuple(share, headerNoise).map(
    ([place, noise]): Mutate =>
      (text) =>
        onLine(text, place, (line) => `${line}\r\n${noise}`),
  ),
  fc.tuple(share, fc.constantFrom(300, 5000, 9000, 17_000, 70_000)).map(
    ([place, length]): Mutate =>
      (text) =>
        text.slice(0, at(text, place)) + "A".repeat(length) + text.slice(at(text, place)),
  ),
  fc.nat(150).map(
    (count): Mutate =>
      (text) =>
        text.replace("\r\n", `\r\n${"X-Many: 1\r\n".repeat(count)}`),
  ),
  fc.constantFrom("get", "GE T", "TRACE", "CONNECT", "PATCH", "DELETE", "PROPFIND", "G\x00ET", "X".repeat(40), "").map(
    (method): Mutate =>
      (text) =>
        text.replace(/^\S+/, method),
  ),
  fc.constantFrom("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "HTTP/1.10", "http/1.1", "ICE/1.0", "").map(
    (version): Mutate =>
      (text) =>
        text.replace("HTTP/1.1", version),
  ),
  fc
    .constantFrom(
      "//",
      "/%00",
      "/..",
      "/%2e%2e/",
      "http://evil.example/",
      "*",
      "/%zz",
      "/\xff",
      "/_svc/%61ction/echo",
      "/_svc/~/~/core.js",
      "/#x",
      "/?".padEnd(9000, "x"),
    )
    .map(
      (target): Mutate =>
        (text) =>
          text.replace(/ \S+ /, ` ${target} `),
    ),
  fc.tuple(share, fc.string({ unit: "binary", maxLength: 6 })).map(
    ([place, noise]): Mutate =>
      (text) =>
        text.slice(0, at(text, place)) + noise + text.slice(at(text, place)),
  ),
  fc.constantFrom<Mutate>(
    (text) => text + text,
    (text) => text.replaceAll("\r\n", "\n"),
    (text) => text.replace("Connection: close\r\n", ""),
  ),
);

/** A valid request with one to three mutations. */
export function mutatedRequests(valid: readonly string[]): Arbitrary<Uint8Array> {
  return fc
    .tuple(
      fc.constantFrom(...valid),
      fc.oneof({ weight: 3, arbitrary: fc.tuple(mutation) }, fc.array(mutation, { minLength: 2, maxLength: 3 })),
    )
    .map(([text, mutations]) =>
      Buffer.from(
        mutations.reduce((so, change) => change(so), text),
        "latin1",
      ),
    );
}
