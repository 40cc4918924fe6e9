/** Every app of docs/guide is type-checked, built and asked: a guide that lies fails here. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { App } from "svc";
import { buildApp } from "svc/compiler";
import { createTestClient, type TestClient } from "svc/testing";
import { root } from "./demo-server.ts";

const guide = join(root, "docs/guide");
/** Inside the repository, so that "svc" is found as the package it is. */
const folder = join(root, "out", `guide-${process.pid}`);

interface Page {
  name: string;
  /** Content by file name. */
  files: Map<string, string>;
  /** What the comments behind the code say of the app. */
  claims: string[];
}

function readPage(name: string): Page {
  const text = readFileSync(join(guide, name), "utf8");
  const blocks = text.matchAll(/^```[jt]sx? (\S+)\n([^]*?)^```$/gm);
  const claims = text.matchAll(/^<!-- ([A-Z]+ .*) -->$/gm);
  return {
    name: name.replace(/\.md$/, ""),
    files: new Map([...blocks].map((block) => [block[1] as string, block[2] as string])),
    claims: [...claims].map((claim) => claim[1] as string),
  };
}

const pages = readdirSync(guide)
  .map(readPage)
  .filter(({ files }) => files.has("app.tsx"));

before(() => {
  // Apps read the process's variables at boot; nothing of these is kept on disk.
  Object.assign(process.env, {
    SVC_DATABASE_URL: "memory:",
    SVC_DATA_DIR: join(folder, "data"),
    SVC_SECRET: "s".repeat(32),
  });
  for (const { name, files } of pages) {
    for (const [file, text] of files) {
      mkdirSync(dirname(join(folder, name, file)), { recursive: true });
      writeFileSync(join(folder, name, file), text);
    }
  }
});

after(() => rmSync(folder, { recursive: true, force: true }));

async function load(page: Page): Promise<App> {
  const { outDir } = await buildApp({ root: join(folder, page.name) });
  const module = (await import(pathToFileURL(join(outDir, "server/app.js")).href)) as { default: App };
  await module.default.boot({ dist: outDir });
  return module.default;
}

/** `GET /path 200 "part"`, `ACTION name [args] {reply}`, `SUBMIT /path {fields} 303`, `GRAPH name input result`. */
async function check(claim: string, app: App, client: TestClient): Promise<void> {
  const [verb, subject = "", ...rest] = claim.split(" ");
  const tail = rest.join(" ");
  if (verb === "GET") {
    const [, status, part] = /^(\d+)(?: (".*"))?$/.exec(tail) ?? [];
    const response = await client.get(subject, { accept: "text/html" });
    assert.equal(response.status, Number(status), claim);
    if (part !== undefined) assert.ok((await response.text()).includes(JSON.parse(part) as string), claim);
  } else if (verb === "ACTION") {
    const [, args = "[]", reply = "null"] = /^(\[.*?\]) (\{.*\})$/.exec(tail) ?? [];
    const told = await client.action(subject, ...(JSON.parse(args) as unknown[]));
    assert.deepEqual(told.reply, JSON.parse(reply), claim);
  } else if (verb === "SUBMIT") {
    const [, fields = "{}", status] = /^(\{.*\}) (\d+)$/.exec(tail) ?? [];
    const response = await client.submit(subject, JSON.parse(fields) as Record<string, string>);
    assert.equal(response.status, Number(status), claim);
  } else if (verb === "GRAPH") {
    const [, input = "null", result = "null"] = /^(\S+) (\S+)$/.exec(tail) ?? [];
    const { snapshot } = await app.engine.start(subject, JSON.parse(input) as never);
    await app.engine.idle();
    assert.deepEqual(app.engine.snapshot(snapshot.graph_id)?.result, JSON.parse(result), claim);
  } else assert.fail(`${claim}: no such claim; GET, ACTION, SUBMIT and GRAPH are known`);
}

describe("the guide", () => {
  it("has code whose types fit", () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "ES2023",
      module: "NodeNext",
      allowImportingTsExtensions: true,
      jsx: "preserve",
      jsxImportSource: "svc",
      types: ["node"],
      lib: ["ES2023", "DOM", "DOM.Iterable"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*/*.ts", "*/*.tsx"] }));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    try {
      execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      assert.fail((error as { stdout: string }).stdout);
    }
  });

  for (const page of pages) {
    it(`tells the truth in ${page.name}.md`, async () => {
      assert.ok(page.claims.length > 0, "a page with an app says what it answers");
      const app = await load(page);
      try {
        const client = createTestClient(app, { tokenPage: "/" });
        for (const claim of page.claims) await check(claim, app, client);
      } finally {
        await app.close();
      }
    });
  }
});
