import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, it } from "node:test";
import { SvcError } from "../../../platform/shared/errors.ts";
import { createDevHost, type DevHost } from "./dev-host.ts";
import { withTempApp, type TempApp } from "../temp-app.testkit.ts";

const page = (by: number): string =>
  `import { signal } from "svckit"; export const Page = () => { const n = signal(1); return <p onClick={() => (n.value += ${by})}>{n.value}</p>; };`;
const APP = {
  "app.tsx": 'import { Page } from "./page.tsx"; import { word } from "./word.ts"; export default { Page, word };',
  "page.tsx": page(41),
  "word.ts": 'export const word = "before";',
};

async function withHost(
  files: Record<string, string>,
  use: (host: DevHost, app: TempApp) => Promise<void>,
): Promise<void> {
  await withTempApp(files, async (app) => {
    const host = await createDevHost({ root: app.root });
    try {
      await use(host, app);
    } finally {
      await host.close();
    }
  });
}

/** Writes a file and resolves once the host has noticed. */
async function edit(host: DevHost, app: TempApp, file: string, text: string): Promise<void> {
  const seen = new Promise<void>((resolve) => {
    const stop = host.onChange((changed) => {
      if (path.basename(changed.file) !== path.basename(file)) return;
      stop();
      resolve();
    });
  });
  await app.write(file, text);
  await seen;
}

const chunkOf = (host: DevHost): string => host.manifest().chunks["page.tsx"] ?? "";

describe("the development host", () => {
  it("loads the app and the chunk in its manifest", async () => {
    await withHost(APP, async (host) => {
      const { default: app } = (await host.loadApp()) as { default: { word: string } };
      assert.equal(app.word, "before");
      assert.match(chunkOf(host), /^page-[0-9a-f]{8}-0$/);
      assert.match((await host.chunk(chunkOf(host))) ?? "", /\+= 41/);
      assert.equal(await host.chunk("page-00000000"), undefined);
    });
  });

  it("refuses a folder whose path Vite would cut off, and names the character", async () => {
    for (const name of ["a#b", "a?b"])
      await assert.rejects(createDevHost({ root: path.join("/tmp", name) }), {
        code: "SVC_DEFINITION",
        message: new RegExp(`contains "[${name[1]}]"`),
      });
  });

  it("needs code generation, and says so under the option of Node that forbids it", () => {
    const module = new URL("./hot-modules.js", import.meta.url).href;
    const script = `import { createHotModules } from ${JSON.stringify(module)};
      try { createHotModules(); } catch (error) { console.log(error.code, error.message); }`;
    const options = ["--conditions=svc-modules", "--disallow-code-generation-from-strings", "--input-type=module"];
    const { stdout } = spawnSync(process.execPath, [...options, "--eval", script], { encoding: "utf8" });
    assert.match(stdout, /^SVC_RUNTIME svc dev evaluates .*Run it without this option/);
  });

  it("reports unresolved imports with their position and a fix", async () => {
    const cases: [files: Record<string, string>, reported: RegExp][] = [
      [
        {
          "app.tsx":
            'import { page } from "svckit";\nimport { word } from "./wrod.ts";\nexport default { page, word };',
        },
        /^SVC_DEFINITION app\.tsx:2:22\nThere is no file "\.\/wrod\.ts"\. Fix the path; did you mean "\.\/word\.ts"\?\n\n[^]*> 2 \| import \{ word/,
      ],
      [
        { "app.tsx": 'export { x as default } from "./deep.ts";', "deep.ts": '\nexport { x } from "./far/away.ts";' },
        /^SVC_DEFINITION deep\.ts:2:19\nThere is no file "\.\/far\/away\.ts"\. Fix the path\.\n/,
      ],
      [
        { "app.tsx": 'import { x } from "@no/such-package/part";\nexport default x;' },
        /^SVC_DEFINITION app\.tsx:1:19\nThe package "@no\/such-package" is not installed\. Run "npm install @no\/such-package"/,
      ],
      [
        { "app.tsx": 'import { page, createAp } from "svckit";\nexport default createAp({ pages: [page] });' },
        /^SVC_DEFINITION app\.tsx:1:16\n"svckit" has no export "createAp"; did you mean "createApp"\?\n\n> 1 /,
      ],
    ];
    for (const [files, message] of cases)
      await withHost({ "word.ts": APP["word.ts"], ...files }, (host) =>
        assert.rejects(host.loadApp(), { code: "SVC_DEFINITION", message }),
      );
  });

  it("reports the errors of all modules at once, those behind a faulty module included", async () => {
    const faulty = "export function A() { let n = 1; n = 2; return <p onClick={() => n}>x</p>; }";
    const files = {
      "app.tsx":
        'import { signal } from "svckit"; import { A } from "./a.tsx"; import "./c.tsx"; export default { A, signal };',
      "a.tsx": `export * from "./b.tsx"; ${faulty}`,
      "b.tsx": faulty.replace("A", "B"),
      "c.tsx": faulty.replace("A", "C"),
      "unused.tsx": faulty,
    };
    await withHost(files, async (host, app) => {
      const message =
        /^SVC101 a\.tsx:1:91\n[^]*\nSVC101 b\.tsx:1:66\n[^]*\nSVC101 c\.tsx:1:66\n[^]*\nFix 3 errors in 3 files\.$/;
      await assert.rejects(host.loadApp(), { code: "SVC101", message });
      await edit(host, app, "a.tsx", "export const A = 1;");
      await assert.rejects(host.loadApp(), { message: /^SVC101 c\.tsx:1:66\n/ });
      await edit(host, app, "c.tsx", "export const C = 1;");
      await host.loadApp();
    });
  });

  it("makes the app check for stores in expressions that never update", async () => {
    const page =
      'import { store } from "svckit"; export const Page = (props) => <p>{props.list.name}</p>; export const list = store({ name: "a" });';
    await withHost(
      {
        ...APP,
        "page.tsx": page,
        "app.tsx": 'import { Page, list } from "./page.tsx"; export default { Page, list };',
      },
      async (host) => {
        const { default: app } = (await host.loadApp()) as {
          default: { Page: (props: unknown) => unknown; list: unknown };
        };
        assert.throws(() => app.Page({ list: app.list }), { code: "SVC204", message: /^SVC204 page\.tsx:1:/ });
      },
    );
  });

  it("reloads the app and its chunks after an edit, under a new name", async () => {
    await withHost(APP, async (host, app) => {
      await host.loadApp();
      const old = chunkOf(host);
      await edit(host, app, "page.tsx", page(43));
      await edit(host, app, "word.ts", 'export const word = "after";');
      const { default: edited } = (await host.loadApp()) as { default: { word: string } };
      assert.equal(edited.word, "after");
      assert.notEqual(chunkOf(host), old);
      assert.match((await host.chunk(chunkOf(host))) ?? "", /\+= 43/);
      assert.equal(await host.chunk("page-00000000-0"), undefined);
    });
  });

  it("serves the current chunk to a page from before an edit whose chunk was never built", async () => {
    await withHost(APP, async (host, app) => {
      await host.loadApp();
      const old = chunkOf(host);
      await edit(host, app, "page.tsx", page(43));
      await host.loadApp();
      assert.notEqual(chunkOf(host), old);
      assert.match((await host.chunk(old)) ?? "", /\+= 43/);
    });
  });

  it("creates the children of a component that an edit makes show them in a branch", async () => {
    const box = (name: string, content: string): string =>
      `import { signal } from "svckit"; export const ${name} = (props) => { const n = signal(1); return <p onClick={() => n.value++}>{${content}}</p>; };`;
    const files = {
      ...APP,
      "box.tsx": box("Box", "props.children"),
      "other.tsx": box("Other", "n.value > 1 && props.children"),
      "page.tsx":
        'import { Box } from "./box.tsx"; import { Other } from "./other.tsx"; export const Page = () => <><Box><b>x</b></Box><Other><i>y</i></Other></>;',
    };
    const viewsOf = async (host: DevHost): Promise<string> => {
      await host.loadApp();
      return (await host.chunk(host.manifest().chunks["page.tsx?svc-views"] ?? "")) ?? "";
    };
    await withHost(files, async (host, app) => {
      const before = await viewsOf(host);
      assert.match(before, /<i>y<\/i>/);
      assert.doesNotMatch(before.replace(/\/\/# source.*/, ""), /<b>x<\/b>/);
      await edit(host, app, "box.tsx", box("Box", "n.value > 1 && props.children"));
      assert.match((await viewsOf(host)).replace(/\/\/# source.*/, ""), /<b>x<\/b>/);
    });
  });

  it("drops the chunk of a file that no longer has browser code", async () => {
    await withHost(APP, async (host, app) => {
      await host.loadApp();
      await edit(host, app, "page.tsx", "export const Page = () => <p>still</p>;");
      await host.loadApp();
      assert.deepEqual(host.manifest().chunks, {});
    });
  });

  it("reports changes of other files too, but keeps chunk names", async () => {
    await withHost({ ...APP, "data/app.db": "1" }, async (host, app) => {
      await host.loadApp();
      const name = chunkOf(host);
      await edit(host, app, "data/app.db", "2");
      assert.equal(chunkOf(host), name);
    });
  });

  it("evaluates the app again at each load, and disposes what an evaluation has opened", async () => {
    const log: string[] = [];
    Reflect.set(globalThis, "svcTestLog", log);
    const open = `globalThis.svcTestLog.push("open");
      const hot = import.meta.hot; hot.data.count = (hot.data.count ?? 0) + 1; export const count = hot.data.count;
      hot.dispose(() => globalThis.svcTestLog.push("close"));`;
    const entry = 'import { count } from "./open.ts"; export default { count };';
    await withHost({ "app.ts": entry, "open.ts": open }, async (host, app) => {
      const first = await host.loadApp();
      const second = await host.loadApp();
      assert.deepEqual([first.default, second.default], [{ count: 1 }, { count: 2 }]);
      await first.dispose();
      await first.dispose();
      assert.deepEqual(log, ["open", "open", "close"]);
      await second.dispose();
      await edit(host, app, "app.ts", 'import "./open.ts"; throw new Error("broken");');
      await assert.rejects(host.loadApp(), /broken/);
      assert.equal(log.filter((each) => each === "open").length, log.filter((each) => each === "close").length);
    });
  });

  it("reports the changes before the first listener to it", async () => {
    await withHost(APP, async (host, app) => {
      await host.loadApp();
      const before = chunkOf(host);
      await app.write("page.tsx", page(42));
      while (chunkOf(host) === before) await new Promise(setImmediate);
      const seen: string[] = [];
      host.onChange(({ file }) => seen.push(path.basename(file)));
      host.onChange(() => assert.fail("not to another one"));
      assert.deepEqual(seen, ["page.tsx"]);
    });
  });

  it("reports a compile error, and recovers when it is fixed", async () => {
    await withHost({ ...APP, "page.tsx": "export const Page = () => <p><div>x</div></p>;" }, async (host, app) => {
      const error: unknown = await host.loadApp().catch((reason: unknown) => reason);
      assert.ok(error instanceof SvcError);
      assert.equal(error.code, "SVC108");
      assert.match(error.message, /^SVC108 page\.tsx:1:30\n/);
      await edit(host, app, "page.tsx", page(44));
      await host.loadApp();
      assert.match((await host.chunk(chunkOf(host))) ?? "", /\+= 44/);
    });
  });

  it("shows the chain when browser code reaches a server-only module", async () => {
    const files = {
      ...APP,
      "page.tsx": 'import { a } from "./a.ts"; export const Page = () => <p onClick={() => a()}>x</p>;',
      "a.ts": 'import { readFileSync } from "node:fs"; export const a = () => readFileSync("x");',
    };
    await withHost(files, async (host) => {
      await host.loadApp();
      await assert.rejects(host.chunk(chunkOf(host)), (error: unknown) => {
        assert.ok(error instanceof SvcError);
        assert.equal(error.code, "SVC104");
        assert.match(error.message, /page\.tsx -> a\.ts -> node:fs/);
        return true;
      });
    });
  });
});
