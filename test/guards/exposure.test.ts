/** Only src/platform/security/exposure.ts decides access by the mode of an app or by the apparent address of a client. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourceFiles, withoutComments, type SourceFile } from "./source.ts";

const HOME = "src/platform/security/exposure.ts";

/** Other uses of the same facts. They grant no access. */
const ALLOWED: readonly { path: string; why: string }[] = [
  { path: "src/app/app.ts", why: "the address of the site, where it is not set" },
  { path: "src/cli/serve/start-command.ts", why: "examples in help" },
  { path: "src/app/lifecycle/config.ts", why: "reads the mode, and the settings that production requires" },
  { path: "src/app/observability/log.ts", why: "the format of log lines" },
  { path: "src/app/lifecycle/unsafe-settings.ts", why: "reports unsafe settings" },
  { path: "src/app/lifecycle/settings.ts", why: "lists the settings in force" },
  { path: "src/cli/build/build-static.ts", why: "pages are exported as production serves them" },
  { path: "src/cli/dev/dev.ts", why: "sets the mode" },
  { path: "src/cli/serve/start.ts", why: "sets the mode, as exposure.ts says" },
  { path: "src/fullstack/full-stack-app.ts", why: "adds a sample graph, which opens nothing" },
  { path: "src/platform/http/request/fetch-source.ts", why: "the client's address, behind trusted proxies" },
  { path: "src/platform/http/request/node-source.ts", why: "the client's address, behind trusted proxies" },
  { path: "src/platform/security/site-rules.ts", why: "the hosts for which an app answers, which open nothing" },
  { path: "src/platform/shared/wire.ts", why: "the name of the variable" },
];

/** The mode; headers of proxies; loopback addresses in a pattern or a comparison. */
const JUDGED = [
  /\bisProduction\b|\bnodeEnv\b|NODE_ENV/,
  /header\(\s*["'](?:x-forwarded|forwarded|x-real-ip|via)\b/,
  /(?:clientIp|peer|remoteAddress|hostname|\bhost)\b[^;\n]{0,40}(?:===|!==|\.test\(|\.startsWith\(|\.includes\()[^;\n]{0,20}["'`/^(]*(?:127|localhost|::1)/,
  /\/\^?[^/\n]*127\\\./,
];

function judging(files: SourceFile[]): string[] {
  const known = new Set([HOME, ...ALLOWED.map(({ path }) => path)]);
  return files
    .filter(({ path }) => !known.has(path))
    .filter(({ text }) => JUDGED.some((pattern) => pattern.test(withoutComments(text))))
    .map(({ path }) => path);
}

describe("access by the mode of an app or by the address of a client", () => {
  it("is decided in one module", () => {
    assert.deepEqual(judging(sourceFiles("src")), []);
  });

  it("has no obsolete exception", () => {
    const files = new Map(sourceFiles("src").map((file) => [file.path, file]));
    for (const { path } of ALLOWED) {
      const file = files.get(path) ?? assert.fail(`${path} is gone`);
      assert.equal(judging([{ ...file, path: `planted/${path}` }]).length, 1, path);
    }
  });

  it("is detected in other modules", () => {
    for (const text of [
      "if (!config.isProduction) return open();",
      'if (process.env["NODE_ENV"] !== "production") open();',
      'if (ctx.header("x-forwarded-for") === undefined) open();',
      'if (ctx.clientIp === "127.0.0.1") open();',
      'if (["localhost"].includes(host)) open(); else if (host === "localhost") open();',
      "const LOCAL = /^127\\.\\d+$/;",
    ])
      assert.deepEqual(judging([{ path: "src/app/planted.ts", text }]), ["src/app/planted.ts"], text);
    assert.deepEqual(judging([{ path: "src/app/planted.ts", text: "// isProduction\nconst ip = ctx.clientIp;" }]), []);
  });
});
