/** Security headers set by an app, a page, a route or a response (contract section 1), and reports of policy violations. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { html, page, route } from "svckit";
import { withFixture } from "./app.ts";

const policyOf = (response: Response): string => response.headers.get("content-security-policy") ?? "";

describe("the security headers of one response", () => {
  it("are its own if it sets them: one X-Frame-Options, one policy", () =>
    withFixture(
      async ({ client }) => {
        const { headers } = await client.get("/own");
        assert.equal(headers.get("x-frame-options"), "SAMEORIGIN");
        assert.equal(headers.get("content-security-policy"), "default-src 'none'");
        assert.equal(headers.get("x-content-type-options"), "nosniff");
        assert.equal(headers.get("referrer-policy"), "strict-origin-when-cross-origin");
      },
      {},
      {
        routes: [
          route("GET", "/own", () =>
            html("<p>Mine", 200, [
              "X-Frame-Options",
              "SAMEORIGIN",
              "Content-Security-Policy",
              "default-src 'none'",
              "X-Content-Type-Options",
              "",
            ]),
          ),
        ],
      },
    ));

  it("come from its page or route if that has options, and otherwise from the app", () =>
    withFixture(
      async ({ client }) => {
        const video = await client.get("/video");
        assert.match(policyOf(video), /frame-src 'self' https:\/\/video\.example/);
        assert.match(policyOf(video), /img-src 'self' data: https:\/\/cdn\.example/);
        assert.match(policyOf(video), /script-src 'self' 'nonce-[\w+/=]{24}' 'strict-dynamic';/);
        assert.equal(video.headers.get("cross-origin-opener-policy"), "same-origin-allow-popups");
        const plain = await client.get("/plain");
        assert.doesNotMatch(policyOf(plain), /frame-src/);
        assert.match(policyOf(plain), /img-src 'self' data: https:\/\/cdn\.example/);
        assert.equal(plain.headers.get("cross-origin-opener-policy"), "same-origin");
        assert.equal((await client.get("/badge")).headers.get("cross-origin-resource-policy"), "cross-origin");
      },
      {},
      {
        security: { csp: { "img-src": ["https://cdn.example"] } },
        pages: [
          page("/plain", { title: "Plain", view: () => "text" }),
          page("/video", {
            title: "Video",
            view: () => "text",
            security: {
              csp: { "frame-src": ["https://video.example"] },
              crossOriginOpenerPolicy: "same-origin-allow-popups",
            },
          }),
        ],
        routes: [
          route("GET", "/badge", () => new Response("<svg/>", { headers: { "content-type": "image/svg+xml" } }), {
            security: { crossOriginResourcePolicy: "cross-origin" },
          }),
        ],
      },
    ));
});

describe("documents", () => {
  const typed = (type: string) =>
    withFixture(
      async ({ client }) => {
        const policy = policyOf(await client.get("/typed"));
        assert.match(policy, type.includes("html") || type.includes("HTML") ? /'nonce-/ : /^script-src 'none'; /, type);
      },
      {},
      { routes: [route("GET", "/typed", () => ({ status: 200, headers: ["content-type", type], body: "<a/>" }))] },
    );

  it("of HTML have the policy however their type is spelled", async () => {
    for (const type of [
      "text/html",
      "Text/HTML; charset=utf-8",
      " text/html",
      "application/xhtml+xml",
      "text/plain,text/html",
    ])
      await typed(type);
  });

  it("of XML run no script, including uploaded SVG", async () => {
    for (const type of [
      "image/svg+xml",
      "IMAGE/SVG+XML",
      "text/xml; charset=utf-8",
      "text/xsl; charset=utf-8",
      "application/xml",
      "application/rss+xml",
      "image/png, image/svg+xml",
    ])
      await typed(type);
  });

  it("have a policy, and other responses have none", () =>
    withFixture(async ({ client }) => assert.equal(policyOf(await client.get("/_svc/loader.js")), "")));
});

describe("other sites", () => {
  it("are allowed by no CORS header, not even in a preflight", () =>
    withFixture(async ({ client }) => {
      const asks = {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-svc-csrf",
      };
      for (const path of ["/plain", "/health", "/_svc/action/echo", "/_svc/webhooks", "/_svc/loader.js", "/nowhere"]) {
        for (const method of ["OPTIONS", "GET"]) {
          const { headers, status } = await client.request(path, { method, headers: asks });
          const reported = [...headers.keys()].filter((name) => name.startsWith("access-control"));
          assert.deepEqual(reported, [], `${method} ${path}`);
          if (method === "OPTIONS") assert.ok(status === 405 || status === 404, `${path}: ${status}`);
        }
      }
    }));
});

describe("POST /_svc/csp-report", () => {
  const violation = {
    "csp-report": {
      "document-uri": "http://localhost/plain?secret",
      "effective-directive": "img-src",
      "blocked-uri": "https://evil.example/a",
    },
  };
  const report = (body: string, type = "application/csp-report"): RequestInit => ({
    method: "POST",
    headers: { "content-type": type },
    body,
  });

  it("is not found if the app does not enable reports", () =>
    withFixture(async ({ client }) => {
      assert.equal((await client.request("/_svc/csp-report", report("{}"))).status, 404);
      assert.doesNotMatch(policyOf(await client.get("/plain")), /report/);
    }));

  it("accepts both formats and logs a line for each report", () =>
    withFixture(
      async ({ client, logged }) => {
        assert.match(policyOf(await client.get("/plain")), /; report-uri \/_svc\/csp-report$/);
        const old = await client.request("/_svc/csp-report", report(JSON.stringify(violation)));
        assert.equal(old.status, 204);
        const body = {
          effectiveDirective: "script-src-elem",
          blockedURL: "eval",
          documentURL: "http://localhost/plain",
        };
        const list = JSON.stringify([{ type: "csp-violation", body }]);
        const modern = await client.request(
          "/_svc/csp-report",
          report(list, "application/reports+json; charset=utf-8"),
        );
        assert.equal(modern.status, 204);
        const lines = logged.filter((line) => line.includes("policy violation"));
        assert.equal(lines.length, 2);
        assert.match(lines[0] ?? "", /"img-src".*"https:\/\/evil\.example\/a".*"http:\/\/localhost\/plain"/);
        assert.match(lines[1] ?? "", /"script-src-elem".*"eval".*"http:\/\/localhost\/plain"/);
      },
      {},
      { security: { report: true } },
    ));

  it("refuses other types unread, and rejects reports that are too long, broken or too many", () =>
    withFixture(
      async ({ client, logged }) => {
        const status = async (init: RequestInit): Promise<number> =>
          (await client.request("/_svc/csp-report", init)).status;
        assert.equal(await status(report("{}", "application/json")), 415);
        assert.equal(await status(report("{}", "text/plain")), 415);
        assert.equal(await status(report("x".repeat(65 * 1024))), 413);
        assert.equal(await status(report("{")), 422);
        assert.equal(await status(report(`${"[".repeat(40)}${"]".repeat(40)}`)), 422);
        const many = await Promise.all(Array.from({ length: 60 }, () => status(report(JSON.stringify(violation)))));
        assert.ok(many.includes(429));
        assert.ok(logged.filter((line) => line.includes("policy violation")).length <= 30);
      },
      {},
      { security: { report: true } },
    ));
});
