import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { BucketClient } from "./bucket-client.ts";
import { readBucketUrl, type BucketConfig } from "./bucket-url.ts";
import { fakeS3, type FakeS3 } from "./fake-s3.testkit.ts";

describe("the client of the bucket", () => {
  let s3: FakeS3;
  before(async () => void (s3 = await fakeS3()));
  beforeEach(() => {
    s3.intercept = undefined;
    s3.objects.clear();
  });
  after(() => s3.close());

  it("signs requests so that a server of its own verifies them, also for names with signs", async () => {
    const client = new BucketClient(s3.config());
    const name = "run 1/ä+(b)*'%2F/0-x";
    await client.put(name, Buffer.from("content"));
    assert.equal((await client.get(name))?.toString(), "content");
    await client.remove(name);
    assert.equal(await client.get(name), undefined);
    await client.check();
  });

  it("lists more objects than a page has, in order and after a name", async () => {
    const client = new BucketClient(s3.config());
    const names = Array.from({ length: 2100 }, (_, at) => `run/${String(at).padStart(4, "0")}`);
    for (const name of names) s3.objects.set(`app/${name}`, { data: Buffer.from(""), changedMs: 1000 });
    const found: string[] = [];
    for await (const page of client.list("run/", names[9])) {
      found.push(...page.objects.map(({ name }) => name));
      assert.equal(page.objects[0]?.changedMs, 1000);
    }
    assert.deepEqual(found, names.slice(10));
  });

  it("repeats a request that was not answered or failed on the server, and no other", async () => {
    const client = new BucketClient(s3.config());
    for (const [status, tries] of [
      [500, 3],
      [429, 3],
      [403, 1],
    ] as const) {
      let count = 0;
      s3.intercept = () => (count++, { status, code: "Trouble" });
      await assert.rejects(client.put("a", Buffer.from("a")), { code: "SVC_BUCKET" });
      assert.equal(count, tries, String(status));
    }
    let count = 0;
    s3.intercept = () => (count++ === 0 ? { status: 503, code: "SlowDown" } : undefined);
    await client.put("a", Buffer.from("a"));
    assert.equal(s3.objects.size, 1);
  });

  const cases: [string, Partial<BucketConfig>, RegExp][] = [
    ["another region", { region: "us-east-1" }, /in the region "eu-test-1", not in "us-east-1"/],
    ["an unknown key", { accessKeyId: "OTHER" }, /InvalidAccessKeyId.*Check AWS_ACCESS_KEY_ID/],
    ["a wrong secret", { secretAccessKey: "wrong" }, /SignatureDoesNotMatch.*AWS_SECRET_ACCESS_KEY/],
    ["a missing bucket", { bucket: "other" }, /does not exist.*Create it/],
    ["a server that can't be reached", { origin: "http://127.0.0.1:1" }, /can't be reached at http:\/\/127.0.0.1:1/],
  ];
  for (const [name, change, message] of cases)
    it(`reports ${name}`, async () => {
      await assert.rejects(new BucketClient(s3.config(change)).check(), { code: "SVC_BUCKET", message });
    });

  it("reports missing permissions with their names", async () => {
    s3.intercept = () => ({ status: 403, code: "AccessDenied" });
    await assert.rejects(new BucketClient(s3.config()).check(), /do not allow GET.*s3:GetObject/);
  });
});

describe("the URL of the bucket", () => {
  it("has a bucket, a prefix and parameters", () => {
    assert.deepEqual(readBucketUrl("https://s3.example/b/shop/live?region=eu-1&above=0&values=1024&write=off"), {
      origin: "https://s3.example",
      bucket: "b",
      prefix: "shop/live/",
      region: "eu-1",
      above: 0,
      values: 1024,
      isWriting: false,
    });
    const { above, values, isWriting, region } = readBucketUrl("http://127.0.0.1:9000/b/shop/");
    assert.deepEqual([above, values, isWriting, region], [65_536, 262_144, true, undefined]);
    assert.equal(readBucketUrl("http://127.0.0.1:9000/b/shop?values=off").values, undefined);
  });

  for (const [text, problem] of [
    ["b/shop", /is not a URL/],
    ["s3://b/shop", /is not a URL with https/],
    ["https://id:key@s3.example/b/shop", /contains credentials/],
    ["https://s3.example/b", /must name a bucket and a prefix/],
    ["https://s3.example/b/a%20b", /must name a bucket and a prefix/],
    ["https://s3.example/b/shop?regoin=x", /unknown parameter "regoin"/],
    ["https://s3.example/b/shop?above=262144", /above=262144; it must be a number of bytes from 0 to 262143/],
    ["https://s3.example/b/shop?values=1023", /values=1023; it must be off, or a number of bytes from 1024/],
    ["https://s3.example/b/shop?write=no", /write=no; it must be on or off/],
  ] as const)
    it(`is refused if it is ${text}`, () => {
      assert.throws(() => readBucketUrl(text), problem);
    });
});
