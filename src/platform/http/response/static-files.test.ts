import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { throughBothAdapters, type Site } from "../adapters.test.ts";
import { problem } from "./response.ts";
import { readQualities } from "../request/weighted-list.ts";
import type { Context } from "../types.ts";
import { listFolder, loadFolder, REVALIDATE, serveFile, staticFile } from "./static-files.ts";

const PLAIN = "0123456789".repeat(10);
const FILE = staticFile(
  Buffer.from(PLAIN),
  "text/plain; charset=utf-8",
  Buffer.from("as brotli"),
  Buffer.from("as gzip"),
);
const ALONE = staticFile(Buffer.from(PLAIN), "text/plain; charset=utf-8");
const FILES = new Map([
  ["file.txt", FILE],
  ["alone.txt", ALONE],
  ["empty.txt", staticFile(Buffer.alloc(0), "text/plain")],
]);

const SITE: Site = {
  routes: {
    "GET /**:path": (ctx) => {
      const file = FILES.get(ctx.path.slice(1));
      return file ? serveFile(ctx, file, REVALIDATE) : problem(404, "SVC_NOT_FOUND", "no such file");
    },
  },
};

throughBothAdapters("files", SITE, (send) => {
  const get = (headers: Record<string, string> = {}, target = "/file.txt", method = "GET") =>
    send(target, { method, headers });

  it("have a type, a tag and a cache lifetime", async () => {
    const { status, headers, text } = await get();
    assert.deepEqual([status, text], [200, PLAIN]);
    assert.equal(headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(headers["cache-control"], "public, max-age=0, must-revalidate");
    assert.equal(headers["vary"], "accept-encoding");
    assert.equal(headers["content-length"], String(PLAIN.length));
    assert.match(headers["etag"] ?? "", /^"[\w-]{22}"$/);
  });

  it("are sent in the best available encoding that the client accepts", async () => {
    const cases: [string, string, string | undefined][] = [
      ["br, gzip", "as brotli", "br"],
      ["gzip, br", "as brotli", "br"],
      ["gzip", "as gzip", "gzip"],
      ["br;q=0.5, gzip;q=0.8", "as gzip", "gzip"],
      ["br;q=0, gzip", "as gzip", "gzip"],
      ["br;q=0,gzip;q=0", PLAIN, undefined],
      ["*", "as brotli", "br"],
      ["*;q=0", PLAIN, undefined],
      ["br;q=0, *", "as gzip", "gzip"],
      ["BR ; Q=1.0", "as brotli", "br"],
      ["identity", PLAIN, undefined],
      ["deflate, zstd", PLAIN, undefined],
    ];
    for (const [accept, text, encoding] of cases) {
      const reply = await get({ "accept-encoding": accept });
      assert.deepEqual([reply.text, reply.headers["content-encoding"]], [text, encoding], accept);
      const alone = await get({ "accept-encoding": accept }, "/alone.txt");
      assert.deepEqual([alone.text, alone.headers["content-encoding"]], [PLAIN, undefined], accept);
    }
  });

  it("have another tag in another encoding, because their bytes differ", async () => {
    const accepts = ["identity", "br", "gzip"];
    const tags = await Promise.all(
      accepts.map(async (accept) => (await get({ "accept-encoding": accept })).headers["etag"]),
    );
    assert.equal(new Set(tags).size, 3);
  });

  it("that the client has cached are answered with 304 without a body, with the tag and cache headers", async () => {
    for (const accept of ["identity", "br", "gzip"]) {
      const first = await get({ "accept-encoding": accept });
      const tag = first.headers["etag"] ?? "";
      for (const given of [tag, `W/${tag}`, `"other", ${tag}`, `"other",W/${tag}`, "*"]) {
        const again = await get({ "accept-encoding": accept, "if-none-match": given });
        assert.deepEqual([again.status, again.text], [304, ""], given);
        for (const name of ["etag", "cache-control", "vary"])
          assert.equal(again.headers[name], first.headers[name], name);
        assert.equal(again.headers["content-type"], undefined);
      }
    }
  });

  it("that the client has in another version are sent", async () => {
    const { headers } = await get({ "accept-encoding": "br" });
    for (const given of ['"other"', "", `${headers["etag"]}x`, headers["etag"] ?? ""])
      assert.equal((await get({ "accept-encoding": "gzip", "if-none-match": given })).status, 200, given);
  });

  it("are sent in part for one requested range", async () => {
    const cases: [string, number, number][] = [
      ["bytes=0-4", 0, 4],
      ["bytes=95-", 95, 99],
      ["bytes=-3", 97, 99],
      ["bytes=90-1000", 90, 99],
      ["bytes=-1000", 0, 99],
    ];
    for (const [range, first, last] of cases) {
      const { status, headers, text } = await get({ range, "accept-encoding": "br" });
      assert.deepEqual([status, text], [206, PLAIN.slice(first, last + 1)], range);
      assert.equal(headers["content-range"], `bytes ${first}-${last}/100`);
      assert.equal(headers["content-encoding"], undefined, "a range is of the plain bytes");
      assert.equal(headers["etag"], FILE.etag);
    }
  });

  it("are sent completely for invalid or unordered ranges, and for a range in a HEAD request", async () => {
    for (const range of ["bytes=9-5", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=5-6,0-1", "bytes 0-4"])
      assert.equal((await get({ range })).status, 200, range);
    const head = await get({ range: "bytes=0-4" }, "/file.txt", "HEAD");
    assert.deepEqual([head.status, head.headers["content-length"]], [200, "100"]);
  });

  it("are sent as several parts for several ranges", async () => {
    const { status, headers, text, bytes } = await get({ range: "bytes=0-1, 5-6,98-" });
    assert.equal(status, 206);
    const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "";
    assert.notEqual(boundary, "");
    const parts = text.split(`\r\n--${boundary}`);
    assert.deepEqual(parts.slice(1), [
      "\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes 0-1/100\r\n\r\n01",
      "\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes 5-6/100\r\n\r\n56",
      "\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes 98-99/100\r\n\r\n89",
      "--\r\n",
    ]);
    assert.equal(headers["content-length"], String(bytes.length));
    assert.equal(headers["content-range"], undefined);
  });

  it("in another version than requested are refused with 412", async () => {
    for (const given of ['"other"', `W/${FILE.etag}`]) {
      const { status, text } = await get({ "if-match": given });
      assert.deepEqual([status, (JSON.parse(text) as { code: string }).code], [412, "SVC_PRECONDITION"], given);
    }
    for (const given of ["*", FILE.etag, `"other", ${FILE.etag}`])
      assert.equal((await get({ "if-match": given })).status, 200, given);
  });

  it("are found only by their exact name, on all systems", async () => {
    const none = [
      "/FILE.TXT",
      "/file.txt.",
      "/file.txt%20",
      "/file.txt::$DATA",
      "/file.txt/",
      "/con",
      "/aux.txt",
      "/file~1.txt",
    ];
    for (const target of [
      ...none,
      "/%252e%252e/file.txt",
      "/x%2Ffile.txt",
      "/file.txt.br",
      "/__proto__",
      "/constructor",
    ])
      assert.equal((await get({}, target)).status, 404, target);
    for (const target of [
      "/..%5cfile.txt",
      "/x%5c..%5cfile.txt",
      "/file.txt%00.png",
      "/x/%2e%2e%2ffile.txt",
      "/.%2ffile.txt",
    ])
      assert.equal((await get({}, target)).status, 400, target);
  });

  it("answer a range after their end with 416 and the size", async () => {
    for (const [range, target] of [
      ["bytes=100-", "/file.txt"],
      ["bytes=-0", "/file.txt"],
      ["bytes=0-0", "/empty.txt"],
    ]) {
      const { status, headers } = await get({ range: range ?? "" }, target);
      assert.equal(status, 416, range);
      assert.equal(headers["content-range"], target === "/empty.txt" ? "bytes */0" : "bytes */100");
    }
  });

  it("are sent in part only if If-Range matches", async () => {
    const asked = { range: "bytes=0-4", "accept-encoding": "br" };
    const tagOf = async (accept: string): Promise<string> =>
      (await get({ "accept-encoding": accept })).headers["etag"] ?? "";
    assert.equal((await get({ ...asked, "if-range": await tagOf("identity") })).status, 206);
    for (const given of [await tagOf("br"), `W/${FILE.etag}`, '"other"', "Wed, 21 Oct 2026 07:28:00 GMT"])
      assert.equal((await get({ ...asked, "if-range": given })).status, 200, given);
  });

  it("that the client has cached are answered with 304 before any range", async () => {
    assert.equal((await get({ range: "bytes=0-4", "if-none-match": FILE.etag })).status, 304);
  });
});

describe("a folder of files", () => {
  const put = async (dir: string, names: string[]): Promise<void> => {
    for (const name of names) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), name);
    }
  };

  it("is read with its subfolders; variants belong to their file, and hidden files are excluded", async () => {
    const dir = await mkdtemp(join(tmpdir(), "svc-static-"));
    try {
      const visible = ["a.txt", "deep/er/b.JS", "archive.gz", "100%.svg", ".well-known/security.txt"];
      const hidden = [".env", ".git/config", "deep/.secret/key", "deep/.well-known/x", ".well-known/.x"];
      await put(dir, [...visible, ...hidden, "a.txt.br", "a.txt.gz"]);
      const files = loadFolder(dir);
      assert.deepEqual([...files.keys()].toSorted(), visible.toSorted());
      const file = files.get("a.txt");
      assert.deepEqual([String(file?.br), String(file?.gzip)], ["a.txt.br", "a.txt.gz"]);
      assert.equal(files.get("deep/er/b.JS")?.type, "text/javascript; charset=utf-8");
      assert.equal(files.get("archive.gz")?.type, "application/octet-stream");
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it("has the modification time of each file, and sends only files changed since the client's date", async () => {
    const dir = await mkdtemp(join(tmpdir(), "svc-static-"));
    try {
      await put(dir, ["a.txt"]);
      await utimes(join(dir, "a.txt"), new Date(), new Date("2026-01-02T03:04:05.678Z"));
      const file = loadFolder(dir).get("a.txt");
      assert.ok(file);
      const ask = (headers: Record<string, string>) =>
        serveFile({ method: "GET", header: (name: string) => headers[name] } as Context, file, REVALIDATE);
      const { headers } = ask({});
      assert.equal(headers[headers.indexOf("last-modified") + 1], "Fri, 02 Jan 2026 03:04:05 GMT");
      for (const [header, date, status] of [
        ["if-modified-since", "Fri, 02 Jan 2026 03:04:05 GMT", 304],
        ["if-modified-since", "Fri, 02 Jan 2026 03:04:04 GMT", 200],
        ["if-modified-since", "yesterday", 200],
        ["if-modified-since", "2026-12-31", 200],
        ["if-unmodified-since", "Fri, 02 Jan 2026 03:04:05 GMT", 200],
        ["if-unmodified-since", "Fri, 02 Jan 2026 03:04:04 GMT", 412],
        ["if-unmodified-since", "never", 200],
      ] as const)
        assert.equal(ask({ [header]: date }).status, status, `${header}: ${date}`);
      const both = { "if-modified-since": "Fri, 02 Jan 2026 03:04:05 GMT", "if-none-match": '"other"' };
      assert.equal(ask(both).status, 200, "a tag says more than a date");
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it("excludes links out of it, to folders and to nothing", async () => {
    const dir = await mkdtemp(join(tmpdir(), "svc-static-"));
    const outside = await mkdtemp(join(tmpdir(), "svc-static-out-"));
    try {
      await put(dir, ["in/a.txt"]);
      await put(outside, ["secret.txt"]);
      await symlink(join(dir, "in", "a.txt"), join(dir, "b.txt"));
      await symlink(join(outside, "secret.txt"), join(dir, "secret.txt"));
      await symlink(outside, join(dir, "linked"));
      await symlink(dir, join(dir, "in", "round"));
      await symlink(join(dir, "nowhere"), join(dir, "broken.txt"));
      assert.deepEqual([...loadFolder(dir).keys()].toSorted(), ["b.txt", "in/a.txt"]);
    } finally {
      await rm(dir, { recursive: true });
      await rm(outside, { recursive: true });
    }
  });

  it("that is listed has the same files as a loaded one, each read at its first use", async () => {
    const dir = await mkdtemp(join(tmpdir(), "svc-static-"));
    try {
      await put(dir, ["a.js", "a.js.br", "late.txt"]);
      const [loaded, listed] = [loadFolder(dir), listFolder(dir)];
      assert.deepEqual([...listed.keys()], [...loaded.keys()]);
      for (const [name, file] of loaded) {
        const { type, etag, plain, br, gzip, modifiedMs, lastModified } = listed.get(name) ?? assert.fail(name);
        assert.deepEqual({ ...file }, { type, etag, plain, br, gzip, modifiedMs, lastModified });
      }
      const again = listFolder(dir).get("late.txt");
      await writeFile(join(dir, "late.txt"), "as it is by now");
      assert.equal(String(again?.plain), "as it is by now");
      await writeFile(join(dir, "late.txt"), "later still");
      assert.equal(String(again?.plain), "as it is by now");
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it("that does not exist is empty", () => {
    assert.equal(loadFolder(join(tmpdir(), "svc-static-none")).size, 0);
  });
});

describe("accepted encodings", () => {
  it("have a quality of 1 unless another is given", () => {
    assert.deepEqual(
      [...readQualities("br;q=0.8, gzip;q=0.125 , *;q=0,,zstd;q=x")],
      [
        ["br", 0.8],
        ["gzip", 0.125],
        ["*", 0],
        ["zstd", 1],
      ],
    );
  });
});
