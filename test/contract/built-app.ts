/** A small app as `svc build` writes it: one interactive page and one static page. Built once. Contains no tests. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { App } from "svckit";
import { buildApp } from "svckit/compiler";
import { createTestClient, type TestClient } from "svckit/testing";

const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));

const FILES = {
  "package.json": '{"type":"module"}',
  "counter.tsx": `import { signal } from "svckit";
export function Counter() {
  const count = signal(0);
  const text = signal("</script>\\u2028\\u2029");
  return <p><button onClick={() => { count.value++; text.value = "clicked"; }}>{count.value}</button>{text.value}</p>;
}`,
  "app.tsx": `import { createApp, page } from "svckit";
import { Counter } from "./counter.tsx";
export default createApp({
  pages: [
    page("/", { title: "Counter", view: () => <main><Counter /></main> }),
    page("/static", { title: "Static", view: () => <main>Nothing to do</main> }),
  ],
  env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "0123456789abcdef0123456789abcdef", NODE_ENV: "production" },
});`,
  "public/robots-no.txt": "public",
};

export interface BuiltApp {
  readonly client: TestClient;
  /** The folder of the build. */
  readonly dist: string;
  readonly chunks: readonly { name: string }[];
  close(): Promise<void>;
}

export async function openBuiltApp(): Promise<BuiltApp> {
  const root = mkdtempSync(join(tmpdir(), "svc-built-"));
  mkdirSync(join(root, "node_modules"));
  mkdirSync(join(root, "public"));
  symlinkSync(PACKAGE, join(root, "node_modules", "svckit"), "dir");
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  const { chunks, outDir } = await buildApp({ root });
  const { default: app } = (await import(pathToFileURL(join(outDir, "server", "app.js")).href)) as { default: App };
  await app.boot({ dist: outDir });
  return {
    client: createTestClient(app),
    dist: outDir,
    chunks,
    close: async () => {
      await app.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
