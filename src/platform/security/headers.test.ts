import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SecurityHeaders, withOwn, type SecurityHeaderOptions } from "./headers.ts";

/** Directive -> its sources. */
function policy(options?: SecurityHeaderOptions, nonce = "N"): Record<string, string> {
  const parts = new SecurityHeaders(options).csp(nonce).split("; ");
  return Object.fromEntries(parts.map((part) => [part.split(" ", 1)[0], part.slice(part.indexOf(" ") + 1)]));
}

function always(options?: SecurityHeaderOptions): Record<string, string> {
  const { always: flat } = new SecurityHeaders(options);
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""]] : [])));
}

describe("the security headers", () => {
  it("are those of the contract by default", () => {
    assert.deepEqual(always(), {
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "strict-origin-when-cross-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
    });
    assert.deepEqual(new SecurityHeaders().secure, [
      "strict-transport-security",
      "max-age=31536000; includeSubDomains",
    ]);
  });

  it("contain exactly the policy of the contract, with the nonce in both places", () => {
    assert.equal(
      new SecurityHeaders().csp("q83v"),
      "default-src 'self'; script-src 'self' 'nonce-q83v' 'strict-dynamic'; style-src 'self' 'nonce-q83v'; " +
        "style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; " +
        "base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    );
  });

  it("change by one header per option", () => {
    assert.deepEqual(always({ referrerPolicy: "no-referrer" }), { ...always(), "referrer-policy": "no-referrer" });
    assert.deepEqual(always({ crossOriginOpenerPolicy: "unsafe-none" }), {
      ...always(),
      "cross-origin-opener-policy": "unsafe-none",
    });
    assert.deepEqual(always({ crossOriginResourcePolicy: "same-site" }), {
      ...always(),
      "cross-origin-resource-policy": "same-site",
    });
    assert.deepEqual(always({ crossOriginEmbedderPolicy: "credentialless" }), {
      ...always(),
      "cross-origin-embedder-policy": "credentialless",
    });
    assert.deepEqual(always({ frameOptions: "SAMEORIGIN" }), { ...always(), "x-frame-options": "SAMEORIGIN" });
    assert.deepEqual(new SecurityHeaders({ hsts: "max-age=60" }).secure, ["strict-transport-security", "max-age=60"]);
    assert.deepEqual(new SecurityHeaders({ hsts: false }).secure, []);
  });

  it("require Trusted Types if enabled, with the allowed policies", () => {
    const asked = { "require-trusted-types-for": "'script'", "trusted-types": "svc" };
    assert.deepEqual(policy({ trustedTypes: false }), policy());
    assert.deepEqual(policy({ trustedTypes: true }), { ...policy(), ...asked });
    assert.deepEqual(policy({ trustedTypes: ["mine", "dompurify"] }), {
      ...policy(),
      ...asked,
      "trusted-types": "svc mine dompurify",
    });
    for (const name of ["", "a b", "a;b", "*", "'none'", "a\n"]) {
      assert.throws(() => policy({ trustedTypes: [name] }), { code: "SVC_CONFIG" }, name);
    }
  });

  it("restrict frames alike in the policy and in the old header", () => {
    assert.deepEqual(policy({ frameOptions: "SAMEORIGIN" }), { ...policy(), "frame-ancestors": "'self'" });
  });

  it("add configured sources to a directive, and replace 'none'", () => {
    const csp = { "img-src": ["https://images.example"], "object-src": ["'self'"] };
    assert.deepEqual(policy({ csp }), {
      ...policy(),
      "img-src": "'self' data: https://images.example",
      "object-src": "'self'",
    });
  });

  it("keep the fallback sources of a directive that is not in the policy", () => {
    const { csp } = { csp: { "font-src": ["https://fonts.example"], "script-src-elem": ["https://cdn.example"] } };
    const reported = policy({ csp }, "q83v");
    assert.equal(reported["font-src"], "'self' https://fonts.example");
    assert.equal(reported["script-src-elem"], "'self' 'nonce-q83v' 'strict-dynamic' https://cdn.example");
  });

  it("contain a directive without sources by its name", () => {
    assert.match(
      new SecurityHeaders({ csp: { "upgrade-insecure-requests": [] } }).csp("N"),
      /; upgrade-insecure-requests$/,
    );
  });

  it("reject sources that let injected text run as script", () => {
    const refused = [
      ["script-src", "'unsafe-eval'"],
      ["script-src", "'unsafe-inline'"],
      ["script-src-elem", "'UNSAFE-INLINE'"],
      ["default-src", "'unsafe-inline'"],
      ["worker-src", "'unsafe-eval'"],
    ] as const;
    for (const [directive, source] of refused) {
      const make = (): unknown => new SecurityHeaders({ csp: { [directive]: [source] } });
      assert.throws(make, { code: "SVC_CONFIG", message: /would let injected text run/ }, `${directive} ${source}`);
    }
  });

  it("reject a value that would end its directive or header at configuration", () => {
    const broken: SecurityHeaderOptions[] = [
      { csp: { "img-src": ["a.example; script-src *"] } },
      { csp: { "img-src": ["a.example b.example"] } },
      { csp: { "img-src; script-src": ["*"] } },
      { csp: { "img-src": ["a.example\r\nset-cookie: x=1"] } },
      { referrerPolicy: "origin\r\nset-cookie: x=1" },
      { permissionsPolicy: { "camera=*, usb": [] } },
      { permissionsPolicy: { camera: ["https://a.example) usb=(*"] } },
      { permissionsPolicy: { camera: ["none"] } },
      { report: "http://reports.example/" },
      { report: 'https://reports.example/", x="' },
      { report: "https://reports.example/;script-src" },
      { report: "/reports" },
      { csp: { "report-uri": ["/reports"] } },
      { reportOnly: true },
      { hsts: "max-age=1\n" },
    ];
    for (const options of broken)
      assert.throws(() => new SecurityHeaders(options), { code: "SVC_CONFIG" }, JSON.stringify(options));
  });

  it("add features to the disabled ones, for the configured origins", () => {
    const reported = always({
      permissionsPolicy: { camera: ["self", "https://call.example"], usb: [], fullscreen: ["*"] },
    });
    assert.equal(
      reported["permissions-policy"],
      'camera=(self "https://call.example"), microphone=(), geolocation=(), usb=(), fullscreen=*',
    );
  });

  it("configure reports to the app or another URL; over plain HTTP without the Reporting API, which requires HTTPS", () => {
    const own = new SecurityHeaders({ report: true });
    assert.match(own.csp("N"), /; report-uri \/_svc\/csp-report$/);
    assert.match(own.csp("N", true), /; report-uri \/_svc\/csp-report; report-to svc$/);
    const over = (isSecure: boolean): string[] => own.complete([], { isSecure, nonce: "N" });
    assert.deepEqual(over(true).slice(-2), ["reporting-endpoints", 'svc="/_svc/csp-report"']);
    assert.ok(!over(false).includes("reporting-endpoints"));
    assert.ok(!own.complete([], { isSecure: true, nonce: undefined }).includes("reporting-endpoints"));
    assert.match(
      new SecurityHeaders({ report: "https://r.example/a" }).csp("N"),
      /report-uri https:\/\/r\.example\/a$/,
    );
  });

  it("contain a report-only policy under the header that enforces nothing", () => {
    const sent = new SecurityHeaders({ report: true, reportOnly: true }).complete([], { isSecure: false, nonce: "N" });
    assert.ok(sent.includes("content-security-policy-report-only"));
    assert.ok(!sent.includes("content-security-policy"));
  });

  it("are replaced by headers of the response, and never repeated", () => {
    const own = ["x-frame-options", "SAMEORIGIN", "content-security-policy", "default-src 'none'", "x-mine", "1"];
    const sent = new SecurityHeaders().complete(own, { isSecure: true, nonce: "N" });
    const names = sent.filter((_, at) => at % 2 === 0);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(sent.slice(0, 6), own);
    assert.ok(names.includes("strict-transport-security") && names.includes("referrer-policy"));
  });

  it("include nosniff whatever the response says", () => {
    const sent = new SecurityHeaders().complete(["x-content-type-options", "sniff"], {
      isSecure: false,
      nonce: undefined,
    });
    assert.deepEqual(
      sent.filter((_, at) => sent[at - 1] === "x-content-type-options"),
      ["nosniff"],
    );
  });

  it("add sources and features of a page's own options, and replace the other options", () => {
    const app = { csp: { "img-src": ["https://a.example"] }, permissionsPolicy: { usb: [] }, hsts: false } as const;
    const own = { csp: { "img-src": ["https://b.example"], "frame-src": ["https://c.example"] } };
    assert.deepEqual(withOwn(app, { ...own, frameOptions: "SAMEORIGIN", permissionsPolicy: { camera: ["self"] } }), {
      csp: { "img-src": ["https://a.example", "https://b.example"], "frame-src": ["https://c.example"] },
      permissionsPolicy: { usb: [], camera: ["self"] },
      frameOptions: "SAMEORIGIN",
      hsts: false,
    });
  });
});
