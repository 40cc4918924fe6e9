import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { readFile } from "node:fs/promises";
import { SvcError } from "../../../platform/shared/errors.ts";
import { baseName, buildApp } from "./build.ts";
import { withTempApp, type TempApp } from "../temp-app.testkit.ts";

const COUNTER = `
  import { signal } from "svckit";
  import { step } from "../lib/step.ts";
  const SECRET = "s3cret";
  export function Counter(p: { start: number }) {
    const n = signal(p.start + SECRET.length);
    return <p onClick={() => (n.value += step())}>{n.value}</p>;
  }`;
const APP = {
  "app.tsx": `
    import { Counter } from "./pages/Counter.tsx";
    import { Other } from "./pages/other.tsx";
    export default [Counter, Other];`,
  "pages/Counter.tsx": COUNTER,
  "pages/other.tsx": "export const Other = () => <p onClick={() => alert('other')}>x</p>;",
  "lib/step.ts": `
    import { readFileSync } from "node:fs";
    export const step = () => 41;
    export const onlyOnTheServer = () => "never shipped";`,
};
/** Browser code without server imports. */
const CLEAN_STEP = 'export const step = () => 41;\nexport const other = () => "never shipped";';

async function refused(app: TempApp): Promise<SvcError> {
  const outcome: unknown = await buildApp({ root: app.root }).catch((error: unknown) => error);
  assert.ok(outcome instanceof SvcError, `refused with an SvcError, got ${String(outcome)}`);
  return outcome;
}

describe("a build", () => {
  it("writes a server module, one chunk per file with browser code, and a manifest", async () => {
    await withTempApp({ ...APP, "lib/step.ts": CLEAN_STEP }, async (app) => {
      const { manifest, chunks } = await buildApp({ root: app.root });
      assert.deepEqual(Object.keys(manifest.chunks), ["pages/Counter.tsx", "pages/other.tsx"]);
      assert.match(manifest.chunks["pages/Counter.tsx"] ?? "", /^counter-[0-9a-f]{8}$/);
      assert.deepEqual(JSON.parse(await app.read("dist/manifest.json")), manifest);
      assert.deepEqual(chunks.map((chunk) => chunk.module).sort(), Object.keys(manifest.chunks));
      assert.ok((await app.list("dist/server")).includes("app.js"));
    });
  });

  it("names the chunks and parts of components that the browser creates, so that no import delays them", async () => {
    const view = (name: string): string => `
      import { signal } from "svckit";
      import { Card } from "./card.tsx";
      export function ${name}() { const n = signal(0); return <p onClick={() => n.value++}>{n.value > 0 && <Card at={n.value} />}</p>; }`;
    const files = {
      "app.tsx":
        'import { A } from "./a.tsx"; import { B } from "./b.tsx"; import { C } from "./c.tsx"; export default [A, B, C];',
      "a.tsx": view("A"),
      "b.tsx": view("B"),
      "c.tsx":
        'import { signal } from "svckit"; export function C() { const n = signal(0); return <p onClick={() => n.value++}>{n.value}</p>; }',
      "card.tsx": "export const Card = (props: { at: number }) => <b>{props.at}</b>;",
    };
    await withTempApp(files, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const { chunks, needs = {} } = manifest;
      const shared = (await app.list("dist/client/handler")).filter((name) => /^shared-[0-9a-f]{8}\.js$/.test(name));
      assert.equal(shared.length, 1);
      const expected = ["create", `handler/${shared[0]?.replace(".js", "")}`, "region"];
      const needsOf = (module: string) => needs[chunks[module] ?? ""];
      assert.deepEqual([needsOf("a.tsx"), needsOf("b.tsx"), needsOf("c.tsx")], [expected, expected, undefined]);
    });
  });

  it("builds apps in JavaScript, with pages from files", async () => {
    const files = {
      "app.js": 'import { createFullStackApp } from "svckit/fullstack"; export default createFullStackApp({});',
      "pages/index.jsx": `import { signal } from "svckit"; export default function Page() { const n = signal(0); return <p onClick={() => n.value++}>{n.value}</p>; }`,
      "pages/api/time.js": 'export const GET = () => new Response("now");',
    };
    await withTempApp(files, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      assert.deepEqual(Object.keys(manifest.chunks), ["pages/index.jsx"]);
      assert.match(await app.read("dist/server/app.js"), /new Response\("now"\)/);
      assert.match(await app.read("svc-routes.d.ts"), /"\/": true;\s+"\/api\/time": true/);
    });
    await withTempApp({ "src/app.jsx": "export default () => <p>x</p>;" }, async (app) => {
      await assert.rejects(buildApp({ root: app.root }), { code: "SVC122" });
    });
  });

  it("writes the type of the app beside the built code, which TypeScript would check otherwise", async () => {
    for (const entry of ["app.ts", "src/app.tsx"])
      await withTempApp({ [entry]: "export default 1;" }, async (app) => {
        await buildApp({ root: app.root });
        const specifier = entry === "app.ts" ? "../../app.js" : "../../src/app.js";
        assert.equal(await app.read("dist/server/app.d.ts"), `export { default } from "${specifier}";\n`);
      });
  });

  it("refuses a folder whose path contains a question mark", async () => {
    await assert.rejects(buildApp({ root: "/tmp/a?b" }), { code: "SVC_DEFINITION", message: /contains "\?"/ });
  });

  it("succeeds in a folder whose path contains a number sign and an apostrophe, and the app loads from there", async () => {
    const files = { ...APP, "lib/step.ts": CLEAN_STEP };
    const moved = Object.fromEntries(Object.entries(files).map(([name, text]) => [`it's #1/${name}`, text]));
    await withTempApp(moved, async (app) => {
      const root = path.join(app.root, "it's #1");
      const { manifest } = await buildApp({ root });
      assert.deepEqual(Object.keys(manifest.chunks), ["pages/Counter.tsx", "pages/other.tsx"]);
      const { default: built } = (await import(pathToFileURL(path.join(root, "dist/server/app.js")).href)) as {
        default: readonly unknown[];
      };
      assert.equal(built.length, 2);
    });
  });

  it("fails without an app, and names the expected files and the command that creates one", async () => {
    await withTempApp({ "page.tsx": COUNTER }, async (app) => {
      const { code, message } = await refused(app);
      assert.equal(code, "SVC_DEFINITION");
      assert.match(message, /looked for app\.tsx, [\s\S]+ or create an app with "svc new <folder>"\.$/);
    });
  });

  it("is loaded as ES modules with any package.json of the app", async () => {
    const app = { "app.ts": 'export default "built";' };
    const start = async (root: string): Promise<unknown> => {
      await buildApp({ root });
      const { default: found } = (await import(pathToFileURL(path.join(root, "dist/server/app.js")).href)) as {
        default: unknown;
      };
      return found;
    };
    for (const type of ["commonjs", "module", undefined])
      await withTempApp({ ...app, "package.json": JSON.stringify({ name: "shop", type }) }, async ({ root, list }) => {
        assert.equal(await start(root), "built");
        assert.equal((await list("dist/server")).includes("package.json"), type !== "module", `type ${type}`);
      });
  });

  it("writes browser source maps to a separate folder, or beside the chunks on request", async () => {
    await withTempApp({ ...APP, "lib/step.ts": CLEAN_STEP }, async (app) => {
      const chunkOf = (manifest: { chunks: Record<string, string> }): string =>
        `handler/${manifest.chunks["pages/Counter.tsx"]}.js`;
      const chunk = chunkOf((await buildApp({ root: app.root })).manifest);
      assert.doesNotMatch(await app.read(`dist/client/${chunk}`), /sourceMappingURL/);
      const { sources } = JSON.parse(await app.read(`dist/maps/${chunk}.map`)) as { sources: string[] };
      assert.deepEqual(sources.sort(), ["lib/step.ts", "pages/Counter.tsx"]);
      const open = chunkOf((await buildApp({ root: app.root, publicMaps: true })).manifest);
      assert.match(await app.read(`dist/client/${open}`), /sourceMappingURL=counter-\w+\.js\.map/);
      assert.ok((await app.list("dist/client/handler")).includes(`${path.basename(open)}.map`));
    });
  });

  it("ships neither server code nor unused code to the browser", async () => {
    await withTempApp({ ...APP, "lib/step.ts": CLEAN_STEP }, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const code = await app.read(`dist/client/handler/${manifest.chunks["pages/Counter.tsx"]}.js`);
      assert.match(code, /41/);
      assert.match(code, /load\(.core.\)/);
      assert.doesNotMatch(code, /s3cret|never shipped|start/);
    });
  });

  it("keeps chunk names except for changed code, and keeps old chunks", async () => {
    await withTempApp({ ...APP, "lib/step.ts": CLEAN_STEP }, async (app) => {
      const first = (await buildApp({ root: app.root })).manifest;
      assert.deepEqual((await buildApp({ root: app.root })).manifest, first);
      await app.write("lib/step.ts", CLEAN_STEP.replace("41", "42"));
      const second = (await buildApp({ root: app.root })).manifest;
      assert.equal(second.chunks["pages/other.tsx"], first.chunks["pages/other.tsx"]);
      assert.notEqual(second.chunks["pages/Counter.tsx"], first.chunks["pages/Counter.tsx"]);
      assert.notEqual(second.build, first.build);
      const files = await app.list("dist/client/handler");
      for (const name of [first.chunks["pages/Counter.tsx"], second.chunks["pages/Counter.tsx"]]) {
        assert.ok(files.includes(`${name}.js`));
      }
    });
  });

  it("has another build id but the same chunks after a change of server code only", async () => {
    await withTempApp({ ...APP, "lib/step.ts": CLEAN_STEP }, async (app) => {
      const first = (await buildApp({ root: app.root })).manifest;
      await app.write("app.tsx", `${APP["app.tsx"]}\nexport const more = 1;\n`);
      const second = (await buildApp({ root: app.root })).manifest;
      assert.notEqual(second.build, first.build);
      assert.deepEqual(second.chunks, first.chunks);
    });
  });

  it("of an app without browser code has no chunks, and a server module that runs", async () => {
    await withTempApp({ "src/app.tsx": 'import "svckit"; export default () => <p>static</p>;' }, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      assert.deepEqual(manifest.chunks, {});
      assert.deepEqual(await app.list("dist/client/handler"), []);
      const module = (await import(pathToFileURL(path.join(app.root, "dist/server/app.js")).href)) as {
        default: () => string;
      };
      assert.equal(module.default(), "<p>static</p>");
    });
  });

  it("copies public files and writes compressed versions beside compressible ones", async () => {
    const css = "p { color: red }\n".repeat(40);
    await withTempApp({ "app.ts": "export default 1;", "public/a.css": css, "public/tiny.txt": "x" }, async (app) => {
      await buildApp({ root: app.root });
      assert.deepEqual(await app.list("dist/public"), ["a.css", "a.css.br", "a.css.gz", "tiny.txt"]);
      assert.equal(gunzipSync(await readFile(path.join(app.root, "dist/public/a.css.gz"))).toString(), css);
    });
  });

  it("needs an app file, and names the places it searched", async () => {
    await withTempApp({}, async (app) => {
      const error = await refused(app);
      assert.equal(error.code, "SVC_DEFINITION");
      assert.match(error.message, /app\.tsx, app\.ts, app\.jsx, app\.js, src\/app\.tsx/);
    });
  });

  it("fails with the compiler's own error, not the bundler's", async () => {
    await withTempApp({ "app.tsx": "export default () => <p><div>x</div></p>;" }, async (app) => {
      const error = await refused(app);
      assert.equal(error.code, "SVC108");
      assert.match(error.message, /^SVC108 app\.tsx:1:25\n/);
    });
  });

  it("reports unresolved imports with their position, and missing exports", async () => {
    const files = {
      "app.tsx": 'import { x } from "./a.ts"; export default () => <p>{x}</p>;',
      "a.ts": "export const y = 1;",
    };
    await withTempApp(files, async (app) => {
      const error = await refused(app);
      assert.equal(error.code, "SVC_DEFINITION");
      assert.match(error.message, /failed:\n.*app\.tsx: .*"x" is not exported by ".*a\.ts"\.\nFix/);
      await app.write("a.ts", 'import { z } from "./nowhere.ts"; export const x = z;');
      assert.match(
        (await refused(app)).message,
        /^SVC_DEFINITION a\.ts:1:19\nThere is no file "\.\/nowhere\.ts"\. Fix/,
      );
    });
  });

  it("names chunks with URL-safe characters", () => {
    assert.equal(baseName("/app/pages/[slug] Über.tsx?svc-client"), "-slug-ber");
    assert.equal(baseName("/app/pages/TodoList.tsx"), "todolist");
  });
});

describe("server actions in a build", () => {
  const ACTIONS = `
    import { action } from "svckit";
    import { readFileSync } from "node:fs";
    export const save = action((text: string) => readFileSync(text, "utf8"));
    export const unused = action(() => 1);
    export const LIMIT = 5;`;
  const page = (handler: string): string =>
    `import { save, LIMIT } from "../actions.ts"; export const Page = () => <p onClick={() => ${handler}} title={String(LIMIT)}>x</p>;`;
  const app = (handler: string): Record<string, string> => ({
    "app.tsx": 'import { Page } from "./pages/page.tsx"; export default Page;',
    "actions.ts": ACTIONS,
    "pages/page.tsx": page(handler),
  });

  it("become stubs in the browser and entries of the manifest, if they are called", async () => {
    await withTempApp(app('save("x")'), async (temp) => {
      const { manifest } = await buildApp({ root: temp.root });
      assert.deepEqual(manifest.actions, ["save"]);
      const code = await temp.read(`dist/client/handler/${manifest.chunks["pages/page.tsx"]}.js`);
      assert.match(code, /load\(.act.\)/);
      assert.match(code, /[`"']save[`"']/);
      assert.doesNotMatch(code, /readFileSync|unused/);
    });
  });

  it("are the only exports of their module that browser code may import (SVC104)", async () => {
    await withTempApp(app("LIMIT + 1"), async (temp) => {
      const error = await refused(temp);
      assert.equal(error.code, "SVC104");
      assert.match(error.message, /^SVC104 pages\/page\.tsx:1:90\n"LIMIT" comes from actions\.ts/);
      assert.match(error.message, /Actions of the module: save, unused/);
    });
  });
});

describe("server actions reached by name", () => {
  const VOTES = `import { action } from "svckit";
    export const vote = action((name: string) => name), unused = action(() => 1);
    const undo = action(() => 2); export default undo;`;
  const NEWS = 'import { action } from "svckit"; export const news = action(async function* () { yield 1; });';
  const page = (imports: string, run: string): string =>
    `${imports} export const Page = () => <p onClick={async () => { ${run} }}>x</p>;`;

  it("have the same name however they are imported: renamed, re-exported, as default, by a helper", async () => {
    const files = {
      "app.tsx": 'import { Page } from "./page.tsx"; export default [Page];',
      "actions/index.ts":
        'export { vote as cast } from "./votes.ts"; export { default as undo } from "./votes.ts"; export * from "./news.ts";',
      "actions/votes.ts": VOTES,
      "actions/news.ts": NEWS,
      "helper.ts":
        'import { news } from "./actions/index.ts"; export const follow = async () => { for await (const n of news()) alert(n); };',
      "page.tsx": page(
        'import { cast as choose, undo } from "./actions/index.ts"; import { follow } from "./helper.ts";',
        "await choose('Ada'); await undo(); await follow();",
      ),
    };
    await withTempApp(files, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      assert.deepEqual(manifest.actions, ["news", "undo", "vote"]);
      assert.deepEqual(manifest.streams, ["news"]);
      const code = await app.read(`dist/client/handler/${manifest.chunks["page.tsx"]}.js`);
      for (const part of [/load\(.act.\)/, /load\(.lines.\)/, /.vote./, /.undo./, /for await/])
        assert.match(code, part);
    });
  });

  it("cause clear errors if they are removed, renamed or nameless", async () => {
    const files = {
      "app.tsx": 'import { Page } from "./page.tsx"; export default [Page];',
      "votes.ts": VOTES,
      "index.ts": 'export { votes } from "./votes.ts";',
      "page.tsx": page('import { votes } from "./votes.ts";', "await votes('Ada');"),
    };
    await withTempApp(files, async (app) => {
      const direct = await refused(app);
      assert.equal(direct.code, "SVC104");
      assert.match(direct.message, /"votes" comes from votes\.ts[^]*Actions of the module: vote, unused, default/);
      await app.write("page.tsx", page('import { votes } from "./index.ts";', "await votes('Ada');"));
      assert.match((await refused(app)).message, /votes.*(?:is not exported|votes\.ts)/);
      await app.write("votes.ts", 'import { action } from "svckit"; export default action(() => 1);');
      await app.write("page.tsx", page('import votes from "./votes.ts";', "await votes();"));
      assert.match((await refused(app)).message, /^SVC117 votes\.ts:1:34\nThis action has no name/);
    });
  });

  it("with the same name in two files are rejected, because a call could reach only one", async () => {
    const files = {
      "app.tsx": 'import { Page } from "./page.tsx"; export default [Page];',
      "a.ts": 'import { action } from "svckit"; export const save = action(() => 1);',
      "b.ts": 'import { action } from "svckit"; export const save = action(() => 2);',
      "page.tsx": page(
        'import { save } from "./a.ts"; import { save as other } from "./b.ts";',
        "await save(); await other();",
      ),
    };
    await withTempApp(files, async (app) => {
      assert.match((await refused(app)).message, /^SVC117 Two actions are called "save", in a\.ts and in b\.ts\./);
    });
  });
});

const chunkOf = (root: string, name = ""): Promise<string> =>
  readFile(path.join(root, "dist/client/handler", `${name}.js`), "utf8");

describe("signals and stores of a module that browser code imports (SVC105)", () => {
  const app = (view: string, state: string): Record<string, string> => ({
    "app.tsx": 'import "svckit"; import { View } from "./view.tsx"; export default View;',
    "view.tsx": view,
    "state.ts": state,
  });
  const reads =
    'import { count } from "./state.ts"; export const View = () => <p onClick={() => count.value++}>{count.value}</p>;';

  it("are refused with their position if they are exported or written", async () => {
    for (const state of [
      'import { signal } from "svckit"; export const count = signal(0);',
      'import { signal as s } from "svckit"; const count = s(0); export { count };',
      'import { store } from "svckit"; export const count = store({ value: 0 });',
      'import { signal } from "svckit"; export const count = { value: 1, inner: signal(0) };',
      'import { signal } from "svckit"; export class All { static of = signal(0); } export const count = All.of;',
      'import { signal } from "svckit"; const inner = signal(0); export const count = { get value() { return inner.value++; } };',
    ]) {
      await withTempApp(app(reads, state), async (built) => {
        const error = await refused(built);
        assert.equal(error.code, "SVC105", state);
        assert.match(error.message, /state\.ts:1:\d+/);
      });
    }
  });

  it("are refused in a package", async () => {
    const files = {
      ...app(reads.replace("./state.ts", "shared-count"), ""),
      "node_modules/shared-count/package.json": '{"name":"shared-count","type":"module","main":"main.js"}',
      "node_modules/shared-count/main.js": 'import { signal } from "svckit"; export const count = signal(0);',
    };
    await withTempApp(files, async (built) => assert.equal((await refused(built)).code, "SVC105"));
  });

  it("are allowed as constants, and in functions and instances", async () => {
    const state =
      'import { computed, signal } from "svckit"; const step = signal(2); export const count = computed(() => step.value * 2); export class Model { n = signal(0); } export const make = () => signal(1);';
    const view = reads.replace("count.value++", "console.log(count.value)");
    await withTempApp(app(view, state), async ({ root }) => void (await buildApp({ root })));
  });
});

describe("a build with errors in several files", () => {
  const FILES = {
    "app.tsx": `import { A } from "./a.tsx"; import { text } from "./lib.ts"; export default [A, text];`,
    "a.tsx": `import { B } from "./b.tsx";
export const A = () => <p className="a"><B /></p>;`,
    "b.tsx": `import { shared } from "./state.ts";
export const B = () => <p onclick={() => 1}><i onClick={() => shared.value++} /></p>;`,
    "state.ts": `import { signal } from "svckit";
export const shared = signal(0);`,
    "lib.ts": `import { text } from "./texts.ts"; export { text };`,
  };
  const linesOf = ({ message }: SvcError): string[] =>
    message.split("\n").filter((line) => /^SVC|^Fix|There is no/.test(line));

  it("reports them all, also behind a module with errors, and writes nothing", async () => {
    await withTempApp(FILES, async (app) => {
      assert.deepEqual(linesOf(await refused(app)), [
        "SVC118 a.tsx:2:27",
        "SVC103 b.tsx:2:27",
        "SVC_DEFINITION lib.ts:1:22",
        'There is no file "./texts.ts". Fix the path.',
        "Fix 3 errors in 3 files.",
      ]);
      assert.deepEqual(await app.list("dist"), []);
    });
  });

  it("reports the errors of the browser build too", async () => {
    const files = {
      ...FILES,
      "a.tsx": FILES["a.tsx"].replace("className", "class"),
      "lib.ts": 'import { Late } from "./late.tsx"; export const text = Late;',
      "late.tsx": "export const Late = () => <p className={1} />;",
      "b.tsx": FILES["b.tsx"].replace("onclick={() => 1}", ""),
    };
    await withTempApp(files, async (app) => {
      assert.deepEqual(linesOf(await refused(app)), [
        "SVC118 late.tsx:1:30",
        "SVC105 state.ts:2:23",
        "Fix 2 errors in 2 files.",
      ]);
    });
  });
});

describe("server-only modules reached from browser code (SVC104)", () => {
  const chain = (last: Record<string, string>): Record<string, string> => ({
    "app.tsx": 'import "svckit"; import { Page } from "./page.tsx"; export default Page;',
    "page.tsx": 'import { a } from "./a.ts"; export const Page = () => <p onClick={() => a()}>x</p>;',
    ...last,
  });

  it("are rejected with the import chain: a built-in module of Node", async () => {
    await withTempApp(
      chain({
        "a.ts": 'import { b } from "./b.ts"; export const a = () => b();',
        "b.ts": 'import { readFileSync } from "node:fs"; export const b = () => readFileSync("x");',
      }),
      async (app) => {
        const error = await refused(app);
        assert.equal(error.code, "SVC104");
        assert.match(error.message, /page\.tsx -> a\.ts -> b\.ts -> node:fs\n/);
        assert.match(error.message, /server action/);
      },
    );
  });

  it("are rejected with the import chain: a .server.ts file", async () => {
    await withTempApp(
      chain({
        "a.ts": 'import { key } from "./key.server.ts"; export const a = () => key;',
        "key.server.ts": 'export const key = "k";',
      }),
      async (app) => {
        const error = await refused(app);
        assert.equal(error.code, "SVC104");
        assert.match(error.message, /page\.tsx -> a\.ts -> \.\/key\.server\.ts\n/);
      },
    );
  });

  it("are rejected with the import chain: a server function of svc in a helper module", async () => {
    const helper = 'import { currentContext, signal } from "svckit"; export const a = () => signal(currentContext());';
    await withTempApp(chain({ "a.ts": helper }), async (app) => {
      const error = await refused(app);
      assert.equal(error.code, "SVC104");
      assert.match(error.message, /reaches "currentContext of svckit", .*\nImports: page\.tsx -> a\.ts -> /);
    });
  });

  it("are rejected if they are another entry point of svc", async () => {
    await withTempApp(
      chain({ "a.ts": 'import { graph } from "svckit/graph"; export const a = () => graph;' }),
      async (app) => {
        assert.equal((await refused(app)).code, "SVC104");
      },
    );
  });

  it("are allowed in code that stays on the server", async () => {
    const page =
      'import { key } from "./key.server.ts"; export const Page = () => <p onClick={() => alert(1)}>{key}</p>;';
    await withTempApp(chain({ "page.tsx": page, "key.server.ts": 'export const key = "k";' }), async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      assert.deepEqual(Object.keys(manifest.chunks), ["page.tsx"]);
    });
  });

  it("are rejected in a dynamic import", async () => {
    await withTempApp(chain({ "a.ts": 'export const a = () => import("node:fs");' }), async (app) => {
      assert.equal((await refused(app)).code, "SVC104");
    });
  });

  it("are allowed in a module whose functions for the browser do not use them", async () => {
    const helpers =
      'import { readFileSync } from "node:fs"; export const a = () => 1; export const read = () => readFileSync("x");';
    await withTempApp(chain({ "a.ts": helpers }), async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const chunk = await chunkOf(app.root, manifest.chunks["page.tsx"]);
      assert.doesNotMatch(chunk, /node:fs|svc-server-only/);
    });
  });
});

describe("a TSX file with components that browser code imports helpers from", () => {
  it("contributes only the helpers to the chunk, also if the files import each other", async () => {
    const files = {
      "app.tsx": 'import "svckit"; import { Page } from "./page.tsx"; export default Page;',
      "page.tsx":
        'import { createContext } from "svckit"; import { Icon, price } from "./icon.tsx"; export const CURRENCY = "EUR"; export const Theme = createContext("light"); export const Page = () => <p onClick={() => alert(price(1))}><Icon /></p>;',
      "icon.tsx":
        'import { CURRENCY } from "./page.tsx"; export const price = (n: number) => CURRENCY + n; export const Icon = () => <i onClick={() => alert(2)}>icon</i>;',
    };
    await withTempApp(files, async (app) => {
      const { manifest } = await buildApp({ root: app.root });
      const chunk = await chunkOf(app.root, manifest.chunks["page.tsx"]);
      assert.match(chunk, /EUR/);
      assert.doesNotMatch(chunk, /icon<|createContext/);
    });
  });
});
