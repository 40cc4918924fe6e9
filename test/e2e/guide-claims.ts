/**
 * The claims of a guide page about its app, one per line. About the server: `GET /path 200 "part"`, `KEEPS /path "part"` to itself,
 * `HEADER /path name "part"`, `ACTION name [args] {reply}`, `SUBMIT /path {fields} 303`, `GRAPH name input result`. About the
 * browser, with Playwright's selectors: `OPEN /path`, then `CLICK selector`, `TYPE selector "text"`, `CHOOSE selector "option"`,
 * `PRESS selector "key"`, `SEES "text"`, `MISSES "text"`, `SHOWS selector`, `LACKS selector`, `WIDTH 400`; `HOLD` and `RELEASE` for
 * pending code, `BREAK path` for the next request; `COMPLAINS "text"`. About commands: `BUILD flags "part"` prints the part,
 * `EXPLAIN file.tsx` prints a ```text block of the page, `RUN app.test.js` succeeds.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { App } from "svckit";
import type { TestClient } from "svckit/testing";
import type { Tab } from "./browser.ts";
import { root } from "./demo-server.ts";

/** The app and browser that claims are checked against. */
export interface Witness {
  app: App;
  client: TestClient;
  /** The folder of its source. */
  folder: string;
  /** The expected output of commands, as the page shows it. */
  printed: readonly string[];
  /** The listen address. */
  url: string;
  /** Functions that release held requests. */
  held: (() => void)[];
  /** Opened by the first claim that needs it. */
  tab: () => Promise<Tab>;
}

type Check = (witness: Witness, subject: string) => Promise<unknown>;

/** Subjects with a target, followed by a text in quotes. */
const TARGET_AND_TEXT = /^(.+?)(?: ("(?:[^"\\]|\\.)*"))?$/;

function quoted(text: string | undefined): string {
  const value: unknown = JSON.parse(text ?? "");
  assert.ok(typeof value === "string");
  return value;
}

async function get({ client }: Witness, subject: string): Promise<void> {
  const [, path = "", status, part] = /^(\S+) (\d+)(?: (".*"))?$/.exec(subject) ?? [];
  const response = await client.get(path, { accept: "text/html" });
  const text = await response.text();
  assert.equal(response.status, Number(status));
  if (part !== undefined) assert.ok(text.includes(quoted(part)), `${part} is not in\n${text}`);
}

/** Checks that the response does not contain a part. */
async function keeps({ client }: Witness, subject: string): Promise<void> {
  const [, path = "", part] = /^(\S+) (".*")$/.exec(subject) ?? [];
  const response = await client.get(path, { accept: "text/html" });
  assert.equal(response.status, 200);
  assert.ok(!(await response.text()).includes(quoted(part)));
}

async function header({ client }: Witness, subject: string): Promise<void> {
  const [, path = "", name = "", part] = /^(\S+) (\S+) (".*")$/.exec(subject) ?? [];
  const value = (await client.get(path, { accept: "text/html" })).headers.get(name) ?? "";
  assert.ok(value.includes(quoted(part)), value);
}

async function action({ client }: Witness, subject: string): Promise<void> {
  const [, name = "", args = "[]", reply = "null"] = /^(\S+) (\[.*?\]) (\{.*\})$/.exec(subject) ?? [];
  const reported = await client.action(name, ...(JSON.parse(args) as unknown[]));
  assert.deepEqual(reported.reply, JSON.parse(reply));
}

async function submit({ client }: Witness, subject: string): Promise<void> {
  const [, path = "", fields = "{}", status] = /^(\S+) (\{.*\}) (\d+)$/.exec(subject) ?? [];
  const response = await client.submit(path, JSON.parse(fields) as Record<string, string>);
  assert.equal(response.status, Number(status));
}

async function graph({ app }: Witness, subject: string): Promise<void> {
  const [, name = "", input = "null", result = "null"] = /^(\S+) (\S+) (\S+)$/.exec(subject) ?? [];
  const { snapshot } = await app.engine.start(name, JSON.parse(input) as never);
  // Waits for the last event, because a graph that waits for a retry is idle too.
  for await (const _event of app.engine.subscribe(snapshot.graph_id, 0, AbortSignal.timeout(60_000)));
  assert.deepEqual((await app.engine.snapshot(snapshot.graph_id))?.result, JSON.parse(result));
}

/** A claim about one element, and optionally a text. */
function inTab(check: (page: Tab["page"], selector: string, text: () => string) => Promise<unknown>): Check {
  return async ({ tab }, subject) => {
    const [, selector = "", text] = TARGET_AND_TEXT.exec(subject) ?? [];
    return check((await tab()).page, selector, () => quoted(text));
  };
}

/** Waits until the page contains a text, or does not. @throws with the whole text */
function text(hasPart: boolean): Check {
  return inTab(async (page, part) => {
    const options = hasPart ? { hasText: quoted(part) } : { hasNotText: quoted(part) };
    await page
      .locator("body", options)
      .waitFor({ state: "attached" })
      .catch(async () => assert.fail(`the page shows\n${await page.locator("body").innerText()}`));
  });
}

/** Code that is fetched for events. The loader itself belongs to the page. */
const CODE = /\/_svc\/(?!loader|action).*/;

/** Delays requests for code until `RELEASE`. */
const hold: Check = async ({ tab, held }) => {
  const { page } = await tab();
  const released = new Promise<void>((done) => held.push(done));
  await page.route(CODE, async (route) => {
    await released;
    await route.continue();
  });
};

async function explain({ folder, printed }: Witness, file: string): Promise<void> {
  const output = execFileSync(process.execPath, [join(root, "bin/svc.js"), "explain", file], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.ok(
    printed.some((text) => output.includes(text)),
    output,
  );
}

async function build({ folder }: Witness, subject: string): Promise<void> {
  const [, flag = "", part] = /^(\S+) (".*")$/.exec(subject) ?? [];
  const output = execFileSync(process.execPath, [join(root, "bin/svc.js"), "build", flag], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.ok(output.includes(quoted(part)), output);
}

/** As on a reader's machine, without the site URL of this test: an app with one answers for its hosts only. @throws with its output */
function runScript(cwd: string, file: string): void {
  const { SVC_SITE_URL: _url, ...env } = process.env;
  try {
    execFileSync(process.execPath, [file], { cwd, stdio: "pipe", encoding: "utf8", env, timeout: 60_000 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    assert.fail(`${stdout}${stderr}` || String(error));
  }
}

const CHECKS: Readonly<Record<string, Check>> = {
  GET: get,
  KEEPS: keeps,
  HEADER: header,
  ACTION: action,
  SUBMIT: submit,
  GRAPH: graph,
  OPEN: async ({ tab, url }, path) => (await tab()).page.goto(url + path),
  CLICK: inTab((page, selector) => page.click(selector)),
  TYPE: inTab((page, selector, text) => page.fill(selector, text())),
  CHOOSE: inTab((page, selector, text) => page.selectOption(selector, text())),
  PRESS: inTab((page, selector, text) => page.press(selector, text())),
  SEES: text(true),
  MISSES: text(false),
  SHOWS: inTab((page, selector) => page.waitForSelector(selector, { state: "attached" })),
  LACKS: inTab((page, selector) => page.waitForSelector(selector, { state: "detached" })),
  WIDTH: inTab((page, width) => page.setViewportSize({ width: Number(width), height: 600 })),
  HOLD: hold,
  RELEASE: async ({ held }) => held.splice(0).forEach((go) => go()),
  BREAK: async ({ tab }, path) => (await tab()).page.route(new RegExp(path), (route) => route.abort(), { times: 1 }),
  BUILD: build,
  EXPLAIN: explain,
  RUN: async ({ folder }, file) => runScript(folder, file),
  COMPLAINS: async ({ tab }, text) => {
    const complaints = (await tab()).takeComplaints();
    assert.ok(complaints.join("\n").includes(quoted(text)), complaints.join("\n"));
  },
};

/** @throws AssertionError that begins with the claim, if it is wrong */
export async function checkClaim(claim: string, witness: Witness): Promise<void> {
  const [, verb = "", subject = ""] = /^(\S+) ?(.*)$/.exec(claim) ?? [];
  const check = Object.hasOwn(CHECKS, verb) ? CHECKS[verb] : undefined;
  assert.ok(check, `${claim}: no such claim; known are ${Object.keys(CHECKS).join(", ")}`);
  try {
    await check(witness, subject);
  } catch (error) {
    assert.fail(`${claim}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
