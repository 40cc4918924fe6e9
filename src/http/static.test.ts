import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { throughBothDoors, type Site } from "./doors.test.ts";
import { problem } from "./response.ts";
import { acceptedEncodings } from "./accept-encoding.ts";
import { loadFolder, REVALIDATE, serveFile, staticFile } from "./static.ts";

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

throughBothDoors("files", SITE, (send) => {
  const get = (headers: Record<string, string> = {}, target = "/file.txt", method = "GET") =>
    send(target, { method, headers });

  it("are sent with type, tag and how long to keep them", async () => {
    const { status, headers, text } = await get();
    assert.deepEqual([status, text], [200, PLAIN]);
    assert.equal(headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(headers["cache-control"], "public, max-age=0, must-revalidate");
    assert.equal(headers["vary"], "accept-encoding");
    assert.equal(headers["content-length"], String(PLAIN.length));
    assert.match(headers["etag"] ?? "", /^"[\w-]{22}"$/);
  });

  it("are sent as the client likes them best of what is prepared", async () => {
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

  it("have another tag in another encoding, since the bytes are others", async () => {
    const accepts = ["identity", "br", "gzip"];
    const tags = await Promise.all(
      accepts.map(async (accept) => (await get({ "accept-encoding": accept })).headers["etag"]),
    );
    assert.equal(new Set(tags).size, 3);
  });

  it("that the client has are a 304 without a body, but with the tag and what caches need", async () => {
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

  it("are sent in part where one range is asked for", async () => {
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

  it("are sent whole where the range is none, is several, or is asked of HEAD", async () => {
    for (const range of ["bytes=9-5", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=0-1,5-6", "bytes 0-4"])
      assert.equal((await get({ range })).status, 200, range);
    const head = await get({ range: "bytes=0-4" }, "/file.txt", "HEAD");
    assert.deepEqual([head.status, head.headers["content-length"]], [200, "100"]);
  });

  it("have no range behind their end: 416 tells the size", async () => {
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

  it("are joined only to what they are a part of (If-Range)", async () => {
    const asked = { range: "bytes=0-4", "accept-encoding": "br" };
    const tagOf = async (accept: string): Promise<string> =>
      (await get({ "accept-encoding": accept })).headers["etag"] ?? "";
    assert.equal((await get({ ...asked, "if-range": await tagOf("identity") })).status, 206);
    for (const given of [await tagOf("br"), `W/${FILE.etag}`, '"other"', "Wed, 21 Oct 2026 07:28:00 GMT"])
      assert.equal((await get({ ...asked, "if-range": given })).status, 200, given);
  });

  it("that the client has are a 304 before any range", async () => {
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

  it("is read with its subfolders; prepared variants belong to their file, hidden files to nobody", async () => {
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

  it("that does not exist is empty", () => {
    assert.equal(loadFolder(join(tmpdir(), "svc-static-none")).size, 0);
  });
});

describe("accepted encodings", () => {
  it("have a quality of 1 unless they say another", () => {
    assert.deepEqual(
      [...acceptedEncodings("br;q=0.8, gzip;q=0.125 , *;q=0,,zstd;q=x")],
      [
        ["br", 0.8],
        ["gzip", 0.125],
        ["*", 0],
        ["zstd", 1],
      ],
    );
  });
});
