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

describe("security headers", () => {
  it("are the contract's where nothing is configured", () => {
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

  it("the policy is the contract's, to the letter, with the nonce in both places", () => {
    assert.equal(
      new SecurityHeaders().csp("q83v"),
      "default-src 'self'; script-src 'self' 'nonce-q83v' 'strict-dynamic'; style-src 'self' 'nonce-q83v'; " +
        "style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; " +
        "base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    );
  });

  it("each option changes its own header only", () => {
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

  it("Trusted Types are asked for on demand, with the policies that may be", () => {
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

  it("frames are told the same by the policy as by the old header", () => {
    assert.deepEqual(policy({ frameOptions: "SAMEORIGIN" }), { ...policy(), "frame-ancestors": "'self'" });
  });

  it("configured sources add to a directive, and take the place of 'none'", () => {
    const csp = { "img-src": ["https://images.example"], "object-src": ["'self'"] };
    assert.deepEqual(policy({ csp }), {
      ...policy(),
      "img-src": "'self' data: https://images.example",
      "object-src": "'self'",
    });
  });

  it("a directive that is not in the policy keeps what it went by before, the site itself", () => {
    const { csp } = { csp: { "font-src": ["https://fonts.example"], "script-src-elem": ["https://cdn.example"] } };
    const reported = policy({ csp }, "q83v");
    assert.equal(reported["font-src"], "'self' https://fonts.example");
    assert.equal(reported["script-src-elem"], "'self' 'nonce-q83v' 'strict-dynamic' https://cdn.example");
  });

  it("a directive without sources is written alone", () => {
    assert.match(
      new SecurityHeaders({ csp: { "upgrade-insecure-requests": [] } }).csp("N"),
      /; upgrade-insecure-requests$/,
    );
  });

  it("sources that let injected text run as script are refused", () => {
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

  it("a value that would end its directive or its header is refused where it is configured", () => {
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

  it("features are added to those that are closed, and opened for whom the app names", () => {
    const reported = always({
      permissionsPolicy: { camera: ["self", "https://call.example"], usb: [], fullscreen: ["*"] },
    });
    assert.equal(
      reported["permissions-policy"],
      'camera=(self "https://call.example"), microphone=(), geolocation=(), usb=(), fullscreen=*',
    );
  });

  it("reports go to the app or elsewhere; over plain HTTP without the Reporting API, which browsers take from HTTPS only", () => {
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

  it("a policy on trial is sent under the name that refuses nothing", () => {
    const sent = new SecurityHeaders({ report: true, reportOnly: true }).complete([], { isSecure: false, nonce: "N" });
    assert.ok(sent.includes("content-security-policy-report-only"));
    assert.ok(!sent.includes("content-security-policy"));
  });

  it("a header that an answer has by itself takes the place of ours, and there are never two", () => {
    const own = ["x-frame-options", "SAMEORIGIN", "content-security-policy", "default-src 'none'", "x-mine", "1"];
    const sent = new SecurityHeaders().complete(own, { isSecure: true, nonce: "N" });
    const names = sent.filter((_, at) => at % 2 === 0);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(sent.slice(0, 6), own);
    assert.ok(names.includes("strict-transport-security") && names.includes("referrer-policy"));
  });

  it("nosniff stays whatever an answer says", () => {
    const sent = new SecurityHeaders().complete(["x-content-type-options", "sniff"], {
      isSecure: false,
      nonce: undefined,
    });
    assert.deepEqual(
      sent.filter((_, at) => sent[at - 1] === "x-content-type-options"),
      ["nosniff"],
    );
  });

  it("a page's own options add sources and features to the app's, and replace the rest", () => {
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
