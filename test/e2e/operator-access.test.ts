/**
 * Access to the operator screens and endpoints of a process as users run it: directly, and behind nginx and haproxy, which make every
 * client look local. Nobody gets in without a key or the one-time link.
 */
import assert from "node:assert/strict";
import { request } from "node:http";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { launchBrowser, openTab } from "./browser.ts";
import { API_KEY, buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { PROXIES, startProxy, withoutProxy } from "./proxies.ts";

const folder = temporaryFolder();
const demo = join(root, "demo");
let count = 0;
const dataDir = (): string => join(folder.path, `data-${++count}`);
/** No variable is set, as on a new machine. */
const UNSET = { NODE_ENV: "", SVC_SITE_URL: "", SVC_EXEC_API_KEY: "" };

/** The ways to run an app without configuration. */
const COMMANDS: Record<string, () => Promise<DemoServer>> = {
  "svc dev": () => startDemo({ app: demo, command: "dev", dataDir: dataDir(), env: UNSET }),
  "svc start": () => startDemo({ dataDir: dataDir(), env: UNSET }),
  "svc start in development": () => startDemo({ dataDir: dataDir(), env: { ...UNSET, NODE_ENV: "development" } }),
  "npm run demo": () => startDemo({ script: join(root, "out/scripts/demo.js"), dataDir: dataDir(), env: UNSET }),
};

before(() => buildDemo());
after(() => folder.remove());

interface Answer {
  status: number;
  body: string;
}

/** Sends any Host, unlike fetch. */
function ask(
  url: string,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  return new Promise<Answer>((resolve, reject) => {
    const { method = "GET", headers = {}, body } = init;
    const sent = request(url + path, { method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const ID = "g_01M81TEBC3WXS51NJC17E31197";
const SCREENS = `
  / /runs /runs/bulk?which=all&step=cancel /runs/compare /runs/${ID} /queues /schedules /webhooks /webhooks/add /webhooks/wh_1
  /webhooks/wh_1/edit /deliveries /deliveries/d_1 /workers /requests /audit /settings /go /held/h_1
`;
const STEPS = `
  /runs/start /runs/bulk /runs/${ID}/cancel /runs/${ID}/fork /runs/${ID}/reveal /runs/${ID}/signal /webhooks
  /webhooks/wh_1/edit /webhooks/wh_1/remove /deliveries/d_1/replay /schedules/nightly/trigger /held/h_1/undo
`;
const listed = (paths: string): string[] => paths.trim().split(/\s+/);
const ENDPOINTS = ["/status", "/metrics", "/graphs", "/webhooks", "/deliveries", "/schedules", "/queues", "/audit"];
/** Headers that make a client look local. */
const DISGUISES = [{}, { host: "localhost" }, { host: "127.0.0.1:3000" }];

/** Sends all requests as a client without key and link. */
async function expectClosed(url: string): Promise<void> {
  for (const headers of DISGUISES) {
    for (const screen of listed(SCREENS)) {
      const { status, body } = await ask(url, `/_svc/ops${screen === "/" ? "" : screen}`, { headers });
      assert.ok([401, 404].includes(status), `GET ${screen} as ${JSON.stringify(headers)} is ${status}`);
      assert.doesNotMatch(body, /<table|data-go/);
    }
    const form = formWith(await visit(url, headers));
    for (const step of listed(STEPS))
      assert.equal((await ask(url, `/_svc/ops${step}`, { ...form, method: "POST" })).status, 401, `POST ${step}`);
    for (const endpoint of ENDPOINTS)
      assert.equal((await ask(url, `/_svc${endpoint}`, { headers })).status, 401, endpoint);
    const type = { ...headers, "content-type": "application/json" };
    const body = JSON.stringify({ worker: "audit", input: {} });
    assert.equal((await ask(url, "/_svc/graphs", { method: "POST", headers: type, body })).status, 401);
  }
}

interface Visit {
  headers: Record<string, string>;
  token: string;
}

/** The cookie and token of any visitor, so that a request is refused for its sender and not for a missing token. */
async function visit(url: string, headers: Record<string, string>): Promise<Visit> {
  const page = await fetch(`${url}/counter`);
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const token = /"csrf_token":"([^"]+)"/.exec(await page.text())?.[1] ?? "";
  return { headers: { ...headers, cookie }, token };
}

function formWith({ headers, token }: Visit) {
  const body = new URLSearchParams({
    _csrf: token,
    worker: "audit",
    input: "{}",
    step: "cancel",
    which: "all",
  }).toString();
  return { headers: { ...headers, "content-type": "application/x-www-form-urlencoded" }, body };
}

const linkIn = (text: string): string =>
  /\/_svc\/ops\/link\?token=\w+/.exec(text)?.[0] ?? assert.fail(`no link in:\n${text}`);

describe("operator access with nothing configured", { concurrency: false }, () => {
  for (const [command, start] of Object.entries(COMMANDS)) {
    describe(`under ${command}`, () => {
      let server: DemoServer;
      before(async () => {
        server = await start();
      });
      after(() => server?.stop());

      it("is closed to a client of this machine", () => expectClosed(server.url));

      for (const name of PROXIES)
        it(`is closed behind ${name}`, { skip: withoutProxy(name) }, async () => {
          const proxy = await startProxy(name, server.url, folder.path);
          try {
            await expectClosed(proxy.url);
          } finally {
            await proxy.stop();
          }
        });
    });
  }
});

describe("the one-time link of svc dev", () => {
  it("opens the screens in a browser, once", async () => {
    const server = (await COMMANDS["svc dev"]?.()) ?? assert.fail();
    const browser = await launchBrowser();
    try {
      const link = linkIn(server.output());
      const tab = await openTab(browser);
      await tab.page.goto(server.url + link);
      assert.equal(new URL(tab.page.url()).pathname, "/_svc/ops");
      await tab.page.getByText("Signed in with the link of svc dev").waitFor();
      await tab.close();
      assert.equal((await ask(server.url, link)).status, 303);
      const again = await openTab(browser);
      await again.page.request.get(server.url + link);
      assert.equal((await again.page.request.get(`${server.url}/_svc/ops`)).status(), 401);
      await again.close();
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});

describe("svc start on a new machine", () => {
  it("runs in production, creates its secret, guesses the site's address with one warning, and hides internals", async () => {
    const folderOfRun = dataDir();
    const server = await startDemo({ dataDir: folderOfRun, env: { ...UNSET } });
    try {
      assert.equal((await ask(server.url, "/_svc/benchmark.json")).status, 404);
      assert.equal(statSync(join(folderOfRun, "secret")).mode & 0o777, 0o600);
      assert.match((await ask(server.url, "/sitemap.xml")).body, new RegExp(`<loc>${server.url}/`));
      const warnings = server
        .output()
        .split("\n")
        .filter((line) => line.includes("SVC_SITE_URL"));
      assert.deepEqual([warnings.length, warnings[0]?.includes("absolute links use that address")], [1, true]);
    } finally {
      await server.stop();
    }
  });

  it("requires the site's address if NODE_ENV is production", async () => {
    const env = { ...UNSET, NODE_ENV: "production" };
    await assert.rejects(startDemo({ dataDir: dataDir(), env }), /SVC_SITE_URL is not set/);
  });
});

describe("npm run demo", () => {
  it("shows its page, and with the printed key its screens and endpoints", async () => {
    const server = (await COMMANDS["npm run demo"]?.()) ?? assert.fail();
    try {
      const key = /export SVC_EXEC_API_KEY=([0-9a-f]{32})/.exec(server.output())?.[1] ?? assert.fail(server.output());
      const headers = { authorization: `Bearer ${key}` };
      for (const path of ["/_svc/demo", "/_svc/benchmark.json", "/"])
        assert.equal((await ask(server.url, path)).status, 200);
      assert.equal((await ask(server.url, "/_svc/status", { headers })).status, 200);
      const browser = await launchBrowser();
      const tab = await openTab(browser);
      await tab.page.goto(`${server.url}/_svc/ops`).catch(() => undefined);
      await tab.page.getByLabel("Operator key").fill(key);
      await tab.page.getByRole("button", { name: "Sign in" }).click();
      await tab.page.getByRole("button", { name: "Sign out" }).waitFor();
      await browser.close();
    } finally {
      await server.stop();
    }
  });

  it("keeps a key that is set", async () => {
    const script = join(root, "out/scripts/demo.js");
    const server = await startDemo({ script, dataDir: dataDir(), env: { NODE_ENV: "" } });
    try {
      const headers = { authorization: `Bearer ${API_KEY}` };
      assert.equal((await ask(server.url, "/_svc/status", { headers })).status, 200);
      assert.doesNotMatch(server.output(), /export SVC_EXEC_API_KEY/);
    } finally {
      await server.stop();
    }
  });
});
