/** Single entries of inputs and outputs: as text for copying and as images, without hidden values. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import type { TestClient } from "svckit/testing";
import { barChart } from "./bar-chart.ts";
import { farClient, localClient, opsSample, runTo } from "./ops-app.ts";

const PNG = Buffer.from(barChart([1, 2, 3]));
const LONG = "long ".repeat(2000);
const PAGE = `data:text/html;base64,${Buffer.from("<script>alert(1)</script>").toString("base64")}`;

describe("An entry of a payload", () => {
  let app: App;
  let client: TestClient;
  let run: string;

  const entry = (at: string, more = "of=input"): string =>
    `/_svc/ops/runs/${run}/entry?${more}&at=${encodeURIComponent(at)}`;
  const picture = (at: string): string => entry(at).replace("/entry?", "/entry/image?");

  before(async () => {
    app = opsSample();
    await app.boot();
    client = localClient(app);
    const picture = `data:image/png;base64,${PNG.toString("base64")}`;
    const input = {
      "a/b": [{ "x y": LONG }],
      picture,
      PAGE,
      token: PNG.toString("base64"),
      deep: { password: "hunter2" },
    };
    run = await runTo(app, "nightly-report", input, "done");
  });
  after(() => app.close());

  it("is served as complete text, for inputs and outputs of runs and nodes", async () => {
    const text = async (path: string): Promise<string> => {
      const answer = await client.get(path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
      assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'; sandbox/);
      return answer.text();
    };
    assert.equal(await text(entry("/a~1b/0/x y")), LONG);
    assert.deepEqual(JSON.parse(await text(entry("/a~1b"))), [{ "x y": LONG }]);
    assert.equal(await text(entry("/pages", "of=result")), "12");
    assert.equal(await text(entry("/pages", "of=result&node=nightly-report")), "12");
    assert.equal((await client.get(entry("/nothing"))).status, 404);
  });

  it("is hidden if it is secret, as text and as image, and not served to strangers", async () => {
    assert.equal(await (await client.get(entry("/token"))).text(), "hidden");
    assert.equal(await (await client.get(entry("/deep/password"))).text(), "hidden");
    assert.doesNotMatch(await (await client.get(entry(""))).text(), /hunter2/);
    assert.equal((await client.get(picture("/token"))).status, 404);
    for (const path of [entry("/a~1b"), picture("/picture")]) {
      const answer = await farClient(app).get(path);
      assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/_svc/ops"]);
    }
  });

  it("is shown as a sandboxed image with size and type, or as a hex dump if it is a document", async () => {
    const page = await (await client.get(`/_svc/ops/runs/${run}`)).text();
    const [, src = ""] = /<img class="artifact" src="([^"]+)" alt="Image picture"/.exec(page) ?? [];
    assert.ok(page.includes(`> image/png, ${PNG.length} B<`) || / image\/png, [\d.]+ KB</.test(page));
    const answer = await client.get(src.replaceAll("&amp;", "&"));
    assert.deepEqual(
      [answer.status, answer.headers.get("content-type"), answer.headers.get("x-content-type-options")],
      [200, "image/png", "nosniff"],
    );
    assert.match(answer.headers.get("content-security-policy") ?? "", /sandbox/);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), PNG);
    assert.match(page, /aria-label="Bytes of PAGE"><code>00000000 {2}3c 73 63 72/);
    assert.equal((await client.get(picture("/PAGE"))).status, 404);
    assert.equal([...page.matchAll(/<img/g)].length, 1);
  });
});
