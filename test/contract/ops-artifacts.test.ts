/** Artifacts on the operator screens: previews, access and response headers. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import type { TestClient } from "svckit/testing";
import { filesApp, PIXEL } from "./artifacts-app.ts";
import { farClient, localClient, OPERATOR_KEY, runTo } from "./ops-app.ts";

let app: App;
let client: TestClient;
let id: string;

const tab = async (of = client, query = ""): Promise<string> =>
  (await of.get(`/_svc/ops/runs/${id}?tab=artifacts${query}`)).text();
const file = async (rest: string, of = client): Promise<Response> => of.get(`/_svc/ops/runs/${id}/artifacts/${rest}`);

describe("Files on the screen of a run", () => {
  before(async () => {
    app = filesApp({ SVC_EXEC_API_KEY: OPERATOR_KEY });
    await app.boot();
    client = localClient(app);
    id = await runTo(app, "print-labels", null, "done");
  });
  after(() => app.close());

  it("are shown by their bytes as an image, a text or a hex dump, and SVG and HTML as text", async () => {
    const page = await tab();
    assert.equal(page.match(/<img /g)?.length, 1);
    assert.ok(
      page.includes(`src="/_svc/ops/runs/${id}/artifacts/label.bin/image"`),
      "by its bytes, not by its declared type",
    );
    assert.match(page, /aria-label="Content of drawing.svg"><code>&lt;svg onload/);
    assert.match(page, /aria-label="Content of forged.png"><code>&lt;html>&lt;script>/);
    assert.match(page, /aria-label="Content of table.bin"><code>00000000 {2}00 01 02 ff/);
    assert.match(page, /text\/csv, 7 B, by print-labels/);
  });

  it("are those of the selected node", async () => {
    assert.ok((await tab(client, "&node=print-labels")).includes("label.bin"));
  });

  it("hide the secrets of JSON", async () => {
    const page = await tab();
    assert.ok(page.includes("1 hidden") && !page.includes("planted"));
    assert.match(page, /Reveal hidden values/);
  });

  it("are served inline only as images, with the type of their bytes and a sandbox", async () => {
    const answer = await file("label.bin/image");
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), PIXEL);
    const names = ["content-type", "x-content-type-options", "content-security-policy", "cache-control"];
    assert.deepEqual(
      names.map((name) => answer.headers.get(name)),
      ["image/png", "nosniff", "default-src 'none'; sandbox", "private, no-store"],
    );
    for (const name of ["drawing.svg", "forged.png", "table.bin", "none"])
      assert.equal((await file(`${name}/image`)).status, 404, name);
  });

  it("can be downloaded by operators, as bytes and with an audit entry", async () => {
    const answer = await file("drawing.svg");
    assert.equal(answer.headers.get("content-type"), "application/octet-stream");
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="drawing.svg"');
    assert.match(await answer.text(), /^<svg/);
    const { items } = await app.operations.audit({ target: id });
    assert.ok(
      items.some(
        ({ operation, data }) => operation === "artifact.download" && JSON.stringify(data).includes("drawing"),
      ),
    );
  });

  it("are visible to readers without a download, and to nobody else", async () => {
    const reader = farClient(app);
    assert.equal((await file("label.bin/image", reader)).status, 303);
    await reader.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY, role: "read" });
    assert.equal((await file("label.bin/image", reader)).status, 200);
    assert.equal((await file("drawing.svg", reader)).status, 303);
    const page = await tab(reader);
    assert.ok(page.includes("No download") && !page.includes(">Download</a>"));
    assert.ok(page.includes("north") && !page.includes("planted"), "JSON without secrets");
    for (const name of ["drawing.svg", "list.csv", "table.bin"])
      assert.ok(page.includes(`<h3>${name}</h3>`) && !page.includes(`Content of ${name}`), name);
  });
});
