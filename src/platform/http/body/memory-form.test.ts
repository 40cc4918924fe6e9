import assert from "node:assert/strict";
import { it, describe } from "node:test";
import fc from "fast-check";
import { SvcError } from "../../shared/errors.ts";
import { siteHttp, throughBothAdapters, type Send, type Site } from "../adapters.test.ts";
import { readForm } from "./memory-form.ts";
import { json } from "../response/response.ts";

const LIMIT = 10_000;

const SITE: Site = {
  routes: {
    "POST /form": async (ctx) => {
      const { fields, files } = await readForm(ctx, LIMIT);
      const reported = Object.entries(files).map(([field, { name, type, bytes }]) => [
        field,
        name,
        type,
        Buffer.from(bytes).toString("latin1"),
      ]);
      return json({ fields: Object.entries(fields), files: reported });
    },
  },
};

const URLENCODED = "application/x-www-form-urlencoded";
const BOUNDARY = "----svc-test";
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

const part = (disposition: string, content: string, more = ""): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

async function post(send: Send, type: string, body: string) {
  const reply = await send("/form", { method: "POST", headers: { "content-type": type }, body });
  return { status: reply.status, reported: JSON.parse(reply.text) as Record<string, unknown> };
}

throughBothAdapters("urlencoded forms", SITE, (send) => {
  it("are read in the format of browsers, with the last value of a repeated name", async () => {
    const { reported } = await post(send, URLENCODED, "a=1&b=two+words&c=caf%C3%A9&a=2&empty=&alone&%26=%3D");
    assert.deepEqual(reported["fields"], [
      ["a", "2"],
      ["b", "two words"],
      ["c", "café"],
      ["empty", ""],
      ["alone", ""],
      ["&", "="],
    ]);
    assert.deepEqual(reported["files"], []);
  });

  it("accept fields with names of prototype properties", async () => {
    const { reported } = await post(send, URLENCODED, "__proto__=a&constructor=b");
    assert.deepEqual(reported["fields"], [
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });

  it("may be empty, and as large as the limit", async () => {
    assert.deepEqual((await post(send, URLENCODED, "")).reported["fields"], []);
    assert.equal((await post(send, URLENCODED, `a=${"b".repeat(LIMIT - 2)}`)).status, 200);
    const over = await post(send, URLENCODED, `a=${"b".repeat(LIMIT - 1)}`);
    assert.deepEqual([over.status, over.reported["code"]], [413, "SVC_TOO_LARGE"]);
  });
});

throughBothAdapters("multipart forms", SITE, (send) => {
  it("are read into fields and files without changing bytes", async () => {
    const body =
      part('name="title"', "two\r\nlines") +
      part('name="up"; filename="a b.png"', "\x89PNG\r\n\x00", "content-type: image/png\r\n") +
      part('name="title"', "the last") +
      END;
    const { status, reported } = await post(send, MULTIPART, body);
    assert.equal(status, 200);
    assert.deepEqual(reported["fields"], [["title", "the last"]]);
    assert.deepEqual(reported["files"], [
      ["up", "a b.png", "image/png", Buffer.from("\x89PNG\r\n\x00").toString("latin1")],
    ]);
  });

  it("omit an empty file input, and keep an empty file", async () => {
    const none = part('name="up"; filename=""', "", "content-type: application/octet-stream\r\n");
    const hollow = part('name="real"; filename="empty.txt"', "", "content-type: text/plain\r\n");
    const { reported } = await post(send, MULTIPART, none + hollow + END);
    assert.deepEqual(reported["files"], [["real", "empty.txt", "text/plain", ""]]);
  });

  it("return file names without folders", async () => {
    const body = part('name="up"; filename="../../etc/passwd"', "x") + END;
    assert.deepEqual((await post(send, MULTIPART, body)).reported["files"], [["up", "passwd", "text/plain", "x"]]);
  });

  it("accept names of prototype properties, and names in UTF-8", async () => {
    const { reported } = await post(send, MULTIPART, part('name="__proto__"', "a") + part('name="größe"', "b") + END);
    assert.deepEqual(reported["fields"], [
      ["__proto__", "a"],
      ["größe", "b"],
    ]);
  });

  it("without one boundary of 1 to 70 printable characters are refused with 422", async () => {
    const type = "multipart/form-data";
    const boundaries = [
      "",
      "=",
      '=""',
      `=${"b".repeat(71)}`,
      `=${"b".repeat(5000)}`,
      "=\u00e9",
      "=a; boundary=b",
      '=" "',
    ];
    for (const boundary of [type, ...boundaries.map((it) => `${type}; boundary${it}`)]) {
      const { status, reported } = await post(send, boundary, part('name="a"', "1") + END);
      assert.deepEqual([status, reported["code"]], [422, "SVC_INVALID"], boundary.slice(0, 100));
    }
  });

  it("accept a boundary of 70 characters, and a quoted one", async () => {
    for (const boundary of ["b".repeat(70), "a b?c"]) {
      const body = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`;
      const { reported } = await post(send, `multipart/form-data; boundary="${boundary}"; charset=utf-8`, body);
      assert.deepEqual(reported["fields"], [["a", "1"]], boundary);
    }
  });

  it("return file names without control characters and direction marks", async () => {
    const body = part('name="up"; filename="in\u0000voice\u202e\u061cfdp.exe\u2069"', "x") + END;
    assert.deepEqual((await post(send, MULTIPART, body)).reported["files"], [
      ["up", "invoicefdp.exe", "text/plain", "x"],
    ]);
  });

  it("with NUL in the name of a field or file are refused with 422", async () => {
    for (const disposition of ['name="a\0b"', 'name="a\0b"; filename="f"']) {
      const { status, reported } = await post(send, MULTIPART, part(disposition, "1") + END);
      assert.deepEqual([status, reported["code"]], [422, "SVC_INVALID"], disposition);
    }
  });

  it("that are truncated are refused with 422", async () => {
    for (const body of [part('name="a"', "1"), part('name="up"; filename="f"', "1"), "", "no boundary here"]) {
      const { status, reported } = await post(send, MULTIPART, body);
      assert.deepEqual([status, reported["code"]], [422, "SVC_INVALID"], body);
    }
  });

  it("over the limit are refused with 413", async () => {
    const { status } = await post(send, MULTIPART, part('name="a"', "b".repeat(LIMIT)) + END);
    assert.equal(status, 413);
  });
});

throughBothAdapters("forms of another type", SITE, (send) => {
  it("are refused with 415", async () => {
    for (const type of ["text/plain", "application/json", "multipart/mixed; boundary=x"]) {
      const { status, reported } = await post(send, type, "a=1");
      assert.deepEqual([status, reported["code"]], [415, "SVC_CONTENT_TYPE"], type);
    }
  });
});

describe("a multipart form", () => {
  const http = siteHttp({
    routes: {
      "POST /form": async (ctx) => json(Object.keys((await readForm(ctx, 1_000_000)).fields).length),
    },
  });
  const read = (body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
    http.fetch(new Request("http://a/form", { method: "POST", headers: { "content-type": MULTIPART }, body }));

  it("has at most 1000 parts", async () => {
    const parts = (count: number): string =>
      Array.from({ length: count }, (_, at) => part(`name="f${at}"`, "x")).join("") + END;
    assert.equal(await (await read(parts(1000))).text(), "1000");
    assert.equal((await read(parts(1001))).status, 413);
  });

  it("is parsed or refused wherever it is cut or damaged, without hanging", async () => {
    const whole = Buffer.from(part('name="a"', "1") + part('name="up"; filename="f.txt"', "data") + END);
    const damage = fc.record({ cut: fc.nat(whole.length), at: fc.nat(whole.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(damage, async ({ cut, at, byte }) => {
        const body = Uint8Array.from(whole).subarray(0, cut);
        if (at < cut) body[at] = byte;
        const { status } = await read(body);
        assert.ok(status === 200 || status === 422, String(status));
      }),
      { numRuns: 500 },
    );
    assert.deepEqual(
      http.faults.filter((fault) => !(fault instanceof SvcError)),
      [],
    );
  });
});
