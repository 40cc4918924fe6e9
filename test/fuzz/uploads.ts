/** Multipart uploads as raw requests: complete, cut off anywhere, too large, or with files that the form does not declare. */
import fc, { type Arbitrary } from "fast-check";
import { MAX_FILE_BYTES, type Target } from "./app.ts";

const BOUNDARY = "xXxBoundaryxXx";

const file = fc.record({
  name: fc.oneof({ weight: 8, arbitrary: fc.constant("file") }, fc.constantFrom("photo", "other", "")),
  filename: fc.constantFrom("a.txt", "../../b.txt", "ü.png", "", 'c"d'),
  type: fc.constantFrom("text/plain", "image/png", "text/html", "", "x"),
  length: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(1, 2000, MAX_FILE_BYTES) },
    fc.constantFrom(0, MAX_FILE_BYTES + 1, 4 * MAX_FILE_BYTES),
  ),
});

/** All have a valid token. Some end before the length that they announce. */

export function uploads({ session }: Target): Arbitrary<Uint8Array> {
  return fc
    .record({
      files: fc.array(file, { minLength: 1, maxLength: 4 }),
      sent: fc.oneof(fc.constant(1), fc.double({ min: 0.3, max: 1, noNaN: true })),
      accept: fc.constantFrom("*/*", "application/json", "text/html"),
    })
    .map(({ files, sent, accept }) => {
      const parts = files.map(
        ({ name, filename, type, length }) =>
          `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n${"z".repeat(length)}`,
      );
      const token = `Content-Disposition: form-data; name="_csrf"\r\n\r\n${session.token}`;
      const body = Buffer.from(
        `${[token, ...parts].map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join("")}--${BOUNDARY}--\r\n`,
      );
      const head =
        `POST /_svc/submit/upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: ${session.cookie}\r\n` +
        `Accept: ${accept}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${body.length}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), body.subarray(0, Math.ceil(sent * body.length))]);
    });
}
