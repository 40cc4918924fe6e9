/** Pages read the data of their layouts, in loaders and in components. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { App } from "svckit";
import { createFullStackApp, layoutData, useLayoutData, type LoadContext } from "svckit/fullstack";
import { html, t } from "svckit/jsx-runtime";
import { createTestClient, recordLog } from "svckit/testing";

const ENV = {
  NODE_ENV: "test",
  SVC_DATABASE_URL: "memory:",
  SVC_SECRET: "s".repeat(32),
  SVC_SITE_URL: "https://example.com",
};
const apps: App[] = [];
after(() => Promise.all(apps.map((app) => app.close())));

const calls: string[] = [];
const loadTeam = async ({ params }: LoadContext) => {
  calls.push("team");
  if (params["id"] === "none") throw new Error("no such team");
  return { name: `Team ${params["id"]}` };
};
const layout = { load: loadTeam, default: ({ children }: { children: unknown }) => children };
const elsewhere = async (): Promise<number> => 1;

async function textOf(
  page: object,
  path = "/7/members",
): Promise<{ status: number; text: string; log: readonly string[] }> {
  const log = recordLog();
  const app = createFullStackApp(
    { env: ENV, log },
    { "./pages/[id]/_layout.tsx": layout, "./pages/[id]/members.tsx": page },
  );
  apps.push(app);
  const response = await createTestClient(app).get(path, { accept: "text/html" });
  return { status: response.status, text: await response.text(), log: log.texts };
}

describe("the data of a layout", () => {
  it("is the same in a component and in the loader of the page, and loads once", async () => {
    calls.length = 0;
    const { text } = await textOf({
      load: async (ctx: LoadContext) => ({ title: `Members of ${(await layoutData(ctx, loadTeam)).name}` }),
      head: ({ data }: { data: { title: string } }) => ({ title: data.title }),
      default: ({ data }: { data: { title: string } }) =>
        html(() => `<p>${t(data.title)} ${t(useLayoutData(loadTeam).name)}</p>`),
    });
    assert.match(text, /<title>Members of Team 7<\/title>/);
    assert.match(text, /<p>Members of Team 7 Team 7<\/p>/);
    assert.deepEqual(calls, ["team"]);
  });

  it("fails the page with the error of the layout", async () => {
    const { status, log } = await textOf(
      { load: (ctx: LoadContext) => layoutData(ctx, loadTeam), default: () => "" },
      "/none/members",
    );
    assert.equal(status, 500);
    assert.match(log.join("\n"), /no such team/);
  });

  it("of another page is refused with an explanation", async () => {
    for (const page of [
      { load: (ctx: LoadContext) => layoutData(ctx, elsewhere), default: () => "" },
      { default: () => html(() => String(useLayoutData(elsewhere))) },
    ]) {
      const { status, log } = await textOf(page);
      assert.equal(status, 500);
      assert.match(log.join("\n"), /ayoutData was given a loader that no layout around this page has/);
    }
  });
});
