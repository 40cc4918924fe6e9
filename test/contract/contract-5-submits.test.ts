/** Contract section 5, for submits: every row of the table, the order of checks, authorization, files and idempotency. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CsrfField, fail, forbidden, page, redirect, unauthorized, type AppOptions, type Context } from "svckit";
import { submitted } from "svckit/internal";
import { submit, type AnySubmit } from "svckit/fullstack";
import { html } from "svckit/jsx-runtime";
import * as v from "valibot";
import { createFixture, type Fixture } from "./app.ts";
import { describeBothAdapters, type Site } from "./both-adapters.ts";

const ran: unknown[] = [];
let afterwards: string[] = [];

const named = v.object({ title: v.pipe(v.string(), v.nonEmpty("must not be empty")), count: v.optional(v.number()) });

const submits: AnySubmit[] = [
  submit("save", { schema: named, fields: { count: "number" } }, (input) => {
    ran.push(input);
    const ways: Record<string, () => unknown> = {
      nobody: () => unauthorized("Sign in to save"),
      stranger: () => forbidden(),
      taken: () => fail(409, "Taken", [{ path: ["title"], message: "is taken" }]),
      away: () => redirect("/elsewhere?a=1"),
      abroad: () => redirect("https://pay.example/checkout", { allowOtherHost: true }),
      broken: () => {
        throw new Error("secret detail");
      },
    };
    return ways[input.title]?.() ?? input.title.toUpperCase();
  }),
  submit("deep", { schema: v.unknown() }, (input) => input),
  submit(
    "files",
    { schema: v.object({}), files: { one: { maxBytes: 100, types: ["image/png"] }, many: { maxBytes: 50, max: 2 } } },
    async (_input, { files }) => {
      const [one] = files.one;
      const many = await Promise.all(files.many.map(async (file) => Buffer.from(await file.bytes()).toString()));
      afterwards = [...files.one, ...files.many].map(({ path }) => path);
      if (one) assert.equal((await readFile(one.path)).length, one.size);
      return { one: one && { name: one.name, type: one.type, size: one.size }, many };
    },
  ),
  submit("moved", { schema: v.object({ to: v.string() }), files: { one: {} } }, async ({ to }, { files }) => {
    await files.one[0]?.moveTo(to);
  }),
];

const shownForm = (ctx: Context): unknown => {
  const refusal = submitted(ctx);
  const reported = refusal && { ...refusal, path: ctx.path, query: ctx.queryText, method: ctx.method };
  return html(
    () =>
      `<form>${String(CsrfField())}</form><pre>${JSON.stringify(reported ?? null).replaceAll("<", "\\u003c")}</pre>`,
  );
};

const OPTIONS: AppOptions = {
  submits: Object.fromEntries(submits.map(({ name, definition }) => [name, definition])),
  pages: [
    page("/form/:id", { title: "Form", view: (_data, ctx) => shownForm(ctx) }),
    page("/plain", { title: "Plain", view: () => "plain" }),
    page("/shared", {
      title: "Shared",
      cache: { public: true, maxAge: "1h" },
      view: (_data, ctx) => html(() => `<pre>${JSON.stringify(submitted(ctx) ?? null)}</pre>`),
    }),
  ],
};

interface Sent {
  name?: string;
  fields?: Record<string, string> | [string, string][];
  headers?: Record<string, string>;
  body?: BodyInit;
  isBare?: boolean;
}

/** Sends a form as a page without scripts does. */
async function send(
  { client }: Pick<Site, "client">,
  { name = "save", fields = {}, headers, body, isBare }: Sent = {},
) {
  const token: [string, string][] = isBare ? [] : [["_csrf", await client.csrfToken()]];
  const all = [...token, ...(Array.isArray(fields) ? fields : Object.entries(fields))];
  const init = { method: "POST", body: body ?? new URLSearchParams(all), headers: { ...headers } };
  const response = await client.request(`/_svc/submit/${name}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const PROGRAM = { accept: "application/json" };

async function asked(site: Pick<Site, "client">, sent: Sent) {
  const { status, headers, text } = await send(site, { ...sent, headers: { ...PROGRAM, ...sent.headers } });
  return { status, headers, reply: JSON.parse(text) as Record<string, unknown> };
}

/** The state of the form in the page that was rendered again. */
function shownIn(text: string): Record<string, unknown> {
  return JSON.parse(/<pre>(.*?)<\/pre>/s.exec(text)?.[1] ?? "null") as Record<string, unknown>;
}

const refused = (error: unknown) => ({ ok: false, value: null, error });

describeBothAdapters(
  "submits",
  (site) => {
    it("with Accept: application/json the action's envelope plus redirect", async () => {
      ran.length = 0;
      const { status, reply } = await asked(site, { fields: { title: "milk", count: "2" } });
      assert.deepEqual([status, reply], [200, { ok: true, value: "MILK", error: null }]);
      assert.deepEqual(ran.splice(0), [{ title: "milk", count: 2 }]);
      assert.equal((await asked(site, { fields: { title: "away" } })).reply["redirect"], "/elsewhere?a=1");
    });

    it("otherwise 303 on success, to the handler's target or back to the page with the form", async () => {
      const back = await send(site, { fields: { title: "milk", _page: "/form/7?tab=2" }, headers: BROWSER });
      assert.deepEqual([back.status, back.headers.get("location")], [303, "/form/7?tab=2"]);
      const away = await send(site, { fields: { title: "away" }, headers: BROWSER });
      assert.deepEqual([away.status, away.headers.get("location")], [303, "/elsewhere?a=1"]);
      const abroad = await send(site, { fields: { title: "abroad" }, headers: BROWSER });
      assert.equal(abroad.headers.get("location"), "https://pay.example/checkout");
      const referer = {
        ...BROWSER,
        referer: `${new URL(site.app.config.siteOrigin ?? "http://localhost").origin}/plain`,
      };
      assert.match(
        (await send(site, { fields: { title: "milk" }, headers: referer })).headers.get("location") ?? "",
        /^\/(?:plain)?$/,
      );
    });

    it("never redirect to another site because of request data", async () => {
      const pages = [
        "https://evil.example/",
        "//evil.example/x",
        "/\\evil.example",
        "javascript:alert(1)",
        "http://localhost//evil.example",
        "/_svc/demo",
        "\u0000",
      ];
      for (const _page of pages) {
        const { headers } = await send(site, {
          fields: { title: "milk", _page },
          headers: { ...BROWSER, referer: "https://evil.example/a" },
        });
        assert.match(headers.get("location") ?? "", /^\/(?![/\\])/, _page);
        assert.doesNotMatch(headers.get("location") ?? "", /^\/_svc/);
      }
    });

    it("or the page again with 422, its values kept and its errors beside the fields: it works without JavaScript", async () => {
      ran.length = 0;
      const fields = {
        title: "",
        count: "many",
        password: "hunter2",
        note: `<>&"'\u2028]]>`,
        _page: "/form/7?tab=2",
        _form: "b",
      };
      const { status, text } = await send(site, { fields, headers: BROWSER });
      assert.equal(status, 422);
      const reported = shownIn(text);
      assert.deepEqual(reported["issues"], [
        { path: ["title"], message: "must not be empty" },
        { path: ["count"], message: 'Invalid type: Expected number but received "many"' },
      ]);
      assert.deepEqual(reported["fields"], [
        ["title", ""],
        ["count", "many"],
        ["note", fields.note],
      ]);
      const { name, form, path, query, method } = reported;
      assert.deepEqual([name, form, path, query, method], ["save", "b", "/form/7", "tab=2", "GET"]);
      assert.doesNotMatch(text, /hunter2/);
      assert.deepEqual(ran, []);
    });

    it("show the form's state on a shared page to its sender only", async () => {
      assert.equal(shownIn(await (await site.client.get("/shared", BROWSER)).text()), null);
      const again = await send(site, { fields: { title: "", note: "mine", _page: "/shared" }, headers: BROWSER });
      assert.equal(again.status, 422);
      assert.match(again.text, /mine/);
      assert.match(again.headers.get("cache-control") ?? "", /private|no-store/);
      const others = await (await site.client.get("/shared", BROWSER)).text();
      assert.doesNotMatch(others, /mine/);
      assert.equal(shownIn(others), null);
    });

    it("render the page again with the status of any other refusal of the handler", async () => {
      const { status, text } = await send(site, { fields: { title: "taken", _page: "/form/7" }, headers: BROWSER });
      assert.deepEqual([status, shownIn(text)["message"]], [409, "Taken"]);
    });

    it("action asks for a signed-in caller and there is none (unauthorized()): 401, its message", async () => {
      const { status, reply } = await asked(site, { fields: { title: "nobody" } });
      assert.deepEqual([status, reply], [401, refused("Sign in to save")]);
    });

    it("CSRF token missing or wrong: 403 Forbidden, in field or header, of a form or JSON", async () => {
      ran.length = 0;
      const json = { "content-type": "application/json" };
      const forms: Sent[] = [
        { isBare: true },
        { isBare: true, fields: { _csrf: "x".repeat(43) } },
        { isBare: true, headers: { "x-svc-csrf": "" } },
        { headers: { "x-svc-csrf": "no" } },
        { isBare: true, headers: json, body: JSON.stringify({ title: "milk", _csrf: await site.client.csrfToken() }) },
      ];
      for (const form of forms) {
        const { status, reply } = await asked(site, form);
        assert.deepEqual([status, reply], [403, refused("Forbidden")]);
      }
      const multipart = new FormData();
      multipart.append("title", "milk");
      assert.equal((await asked(site, { isBare: true, body: multipart })).status, 403);
      const cookieless = await site.send("/_svc/submit/save", {
        method: "POST",
        headers: PROGRAM,
        body: new URLSearchParams({ title: "milk", _csrf: await site.client.csrfToken() }),
      });
      assert.equal(cookieless.status, 403);
      assert.deepEqual(ran, []);
    });

    it("accept the token in the header and in the field, for every type of body", async () => {
      const token = await site.client.csrfToken();
      const multipart = new FormData();
      multipart.append("_csrf", token);
      multipart.append("title", "milk");
      const json = JSON.stringify({ title: "milk" });
      const inHeader = { "x-svc-csrf": token };
      const forms: Sent[] = [
        { fields: { title: "milk" } },
        { isBare: true, fields: { title: "milk" }, headers: inHeader },
        { isBare: true, body: multipart },
        { isBare: true, body: json, headers: { ...inHeader, "content-type": "application/json" } },
      ];
      for (const form of forms) assert.equal((await asked(site, form)).status, 200);
      ran.length = 0;
    });

    it("cross-site Sec-Fetch-Site, foreign Origin; forbidden(): 403 Forbidden", async () => {
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { origin: "https://evil.example" },
        { origin: "null" },
      ]) {
        assert.deepEqual((await asked(site, { fields: { title: "milk" }, headers })).reply, refused("Forbidden"));
      }
      const { status, reply } = await asked(site, { fields: { title: "stranger" } });
      assert.deepEqual([status, reply], [403, refused("Forbidden")]);
    });

    it("unknown name, or a name of a prototype property: 404 Unknown action", async () => {
      for (const name of ["unknown", "__proto__", "constructor", "toString"]) {
        const { status, reply } = await asked(site, { name });
        assert.deepEqual([status, reply], [404, refused("Unknown action")]);
      }
    });

    it("body over 1 MiB (submits with files: the form's own limit): 413, unread: Payload too large", async () => {
      const { status, reply } = await asked(site, { fields: { title: "x".repeat(2 ** 20) } });
      assert.deepEqual([status, reply], [413, refused("Payload too large")]);
      const form = new FormData();
      form.append("_csrf", await site.client.csrfToken());
      form.append("one", new Blob(["x".repeat(2 ** 20 + 300)]), "a.png");
      assert.equal((await asked(site, { name: "files", isBare: true, body: form })).status, 413);
    });

    it("not urlencoded, multipart or JSON (submits): 415 Unsupported content type", async () => {
      const { status, reply } = await asked(site, { body: "title=milk", headers: { "content-type": "text/plain" } });
      assert.deepEqual([status, reply], [415, refused("Unsupported content type")]);
    });

    it("schema refuses: 422 what and where", async () => {
      const { status, reply } = await asked(site, { fields: { title: "" } });
      assert.equal(status, 422);
      assert.deepEqual(reply["issues"], [{ path: ["title"], message: "must not be empty" }]);
    });

    it("names of fields that reach prototypes, that clash or are nested over 32 levels deep: 422", async () => {
      const names = [
        "__proto__.admin",
        "constructor.prototype.x",
        "a.prototype",
        "a..b",
        "a[x]",
        "[0]",
        "",
        "items[9999]",
        "items[99999]",
        `a${".b".repeat(32)}`,
        "x".repeat(300),
      ];
      for (const name of names) {
        assert.equal((await asked(site, { name: "deep", fields: { [name]: "1" } })).status, 422, name);
      }
      for (const fields of [
        { a: "1", "a.b": "2" },
        { "a.b": "2", a: "1" },
        { "a[0]": "1", "a.b": "2" },
        { "a[1]": "1" },
      ]) {
        assert.equal((await asked(site, { name: "deep", fields })).status, 422, JSON.stringify(fields));
      }
      assert.equal(({} as Record<string, unknown>)["admin"], undefined);
    });

    it("a form of more than 1,000 fields: 413, of 1,000 fields: accepted", async () => {
      const flood = (length: number) => Array.from({ length }, (_, at): [string, string] => [`f${at}`, ""]);
      assert.equal((await asked(site, { name: "deep", fields: flood(1001) })).status, 413);
      assert.notEqual((await asked(site, { name: "deep", fields: flood(990) })).status, 413);
    });

    it("invalid UTF-8 is rejected in every type of body", async () => {
      const token = await site.client.csrfToken();
      const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
      assert.equal(
        (await asked(site, { body: `_csrf=${encodeURIComponent(token)}&title=%ff`, headers: urlencoded })).status,
        422,
      );
      const head = `--b\r\ncontent-disposition: form-data; name="_csrf"\r\n\r\n${token}\r\n--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n`;
      const body = Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe]), Buffer.from("\r\n--b--\r\n")]);
      const multipart = { "content-type": "multipart/form-data; boundary=b" };
      const { status, reply } = await asked(site, { body, headers: multipart });
      assert.equal(status, 422);
      assert.match(String(reply["error"]), /UTF-8/);
      for (const broken of ["", "--b", "--b\r\n\r\n", head]) {
        const { status: answer } = await asked(site, { body: broken, headers: multipart });
        assert.ok(answer === 422 || answer === 403, broken);
      }
      for (const without of ["multipart/form-data", 'multipart/form-data; boundary=""'])
        assert.equal((await asked(site, { body: head, headers: { "content-type": without } })).status, 422);
    });

    it("the function throws: 500, process lives: Internal error, on a page for browsers", async () => {
      const { status, reply } = await asked(site, { fields: { title: "broken" } });
      assert.deepEqual([status, reply], [500, refused("secret detail")]);
      const shown = await send(site, { fields: { title: "broken", _page: "/form/7" }, headers: BROWSER });
      assert.equal(shown.status, 500);
      assert.match(shown.headers.get("content-type") ?? "", /^text\/html/);
      assert.equal((await asked(site, { fields: { title: "milk" } })).status, 200);
    });

    it("uploaded files are on disk while the handler runs, readable by this user only, and deleted afterwards", async () => {
      const form = new FormData();
      form.append("_csrf", await site.client.csrfToken());
      form.append("one", new Blob([Buffer.from("89504e470d0a1a0a", "hex")], { type: "image/png" }), "C:\\me\\a.png");
      form.append("many", new Blob(["first"]), "1.txt");
      form.append("many", new Blob(["second"]), "2.txt");
      const { reply } = await asked(site, { name: "files", isBare: true, body: form });
      assert.deepEqual(reply["value"], {
        one: { name: "a.png", type: "image/png", size: 8 },
        many: ["first", "second"],
      });
      assert.equal(afterwards.length, 3);
      for (const path of afterwards) assert.equal(existsSync(path), false);
    });

    it("an uploaded file that the handler moved is kept", async () => {
      const folder = await mkdtemp(join(tmpdir(), "svc-moved-"));
      const form = new FormData();
      form.append("_csrf", await site.client.csrfToken());
      form.append("to", join(folder, "kept"));
      form.append("one", new Blob(["content"]), "a.txt");
      assert.equal((await asked(site, { name: "moved", isBare: true, body: form })).status, 200);
      assert.equal(await readFile(join(folder, "kept"), "utf8"), "content");
      await rm(folder, { recursive: true });
    });

    it("a file too large, of another type, one too many, or in a field without files is rejected beside its field", async () => {
      const token = await site.client.csrfToken();
      const cases: [field: string, content: string, type: string, status: number][] = [
        ["many", "x".repeat(51), "text/plain", 413],
        ["one", "plain text", "image/png", 422],
        ["one", "x", "text/html", 422],
        ["other", "x", "text/plain", 422],
      ];
      for (const [field, content, type, wanted] of cases) {
        const form = new FormData();
        form.append("_csrf", token);
        form.append(field, new Blob([content], { type }), "a");
        const { status, reply } = await asked(site, { name: "files", isBare: true, body: form });
        assert.equal(status, wanted, field);
        assert.deepEqual((reply["issues"] as { path: string[] }[])[0]?.path, [field]);
      }
      const three = new FormData();
      three.append("_csrf", token);
      for (const name of ["1", "2", "3"]) three.append("many", new Blob([name]), name);
      assert.equal((await asked(site, { name: "files", isBare: true, body: three })).status, 422);
    });

    it("double submit runs once: the second gets the response of the first, also while the first still runs", async () => {
      ran.length = 0;
      const fields = { title: "once", _key: "intent-1" };
      const both = await Promise.all([asked(site, { fields }), asked(site, { fields })]);
      assert.deepEqual(
        both.map(({ status, reply }) => [status, reply["value"]]),
        [
          [200, "ONCE"],
          [200, "ONCE"],
        ],
      );
      assert.equal((await asked(site, { fields })).headers.get("idempotency-replayed"), "true");
      assert.deepEqual(ran.splice(0), [{ title: "once" }]);
      // The visitor went back in the browser's history and sent other values: another intent.
      await asked(site, { fields: { ...fields, title: "twice" } });
      assert.deepEqual(ran.splice(0), [{ title: "twice" }]);
    });

    it("double submit runs once also as multipart, whose boundary differs each time", async () => {
      ran.length = 0;
      const token = await site.client.csrfToken();
      const form = (): FormData => {
        const data = new FormData();
        for (const [name, value] of Object.entries({ _csrf: token, _key: "intent-3", title: "file" }))
          data.append(name, value);
        return data;
      };
      const sent = (): Sent => ({ isBare: true, body: form() });
      const both = await Promise.all([asked(site, sent()), asked(site, sent())]);
      assert.deepEqual(
        both.map(({ reply }) => reply["value"]),
        ["FILE", "FILE"],
      );
      assert.deepEqual(ran.splice(0), [{ title: "file" }]);
    });

    it("a failed submit is replayed with the form and its values", async () => {
      ran.length = 0;
      const fields = { title: "broken", _key: "intent-4", _page: "/form/7" };
      for (const _time of [1, 2]) {
        const { status, text } = await send(site, { fields, headers: BROWSER });
        assert.equal(status, 500);
        const reported = shownIn(text);
        assert.deepEqual(
          [reported["path"], reported["status"], reported["fields"]],
          ["/form/7", 500, [["title", "broken"]]],
        );
      }
      assert.equal(ran.splice(0).length, 1);
    });

    it("a refusal is replayed and its handler does not run twice", async () => {
      const fields = { title: "taken", _key: "intent-2", _page: "/form/7" };
      for (const _time of [1, 2]) assert.equal((await send(site, { fields, headers: BROWSER })).status, 409);
      assert.equal(ran.splice(0).length, 1);
    });

    it("browser code that swaps pages gets the rendered page, or the envelope with the redirect target", async () => {
      const headers = { ...BROWSER, "x-svc-swap": "1" };
      const taken = await send(site, { fields: { title: "milk", _page: "/form/7" }, headers });
      assert.equal((JSON.parse(taken.text) as { redirect: string }).redirect, "/form/7");
      const again = await send(site, { fields: { title: "", _page: "/form/7" }, headers });
      assert.deepEqual([again.status, shownIn(again.text)["path"]], [422, "/form/7"]);
      const broken = await send(site, { fields: { title: "broken", _page: "/form/7" }, headers });
      assert.equal((JSON.parse(broken.text) as { ok: boolean }).ok, false);
    });
  },
  { SVC_RATE_SUBMITS: "1000" },
  OPTIONS,
);

describe("submits", () => {
  it("over the limit: 429 + Retry-After + RateLimit/RateLimit-Policy: Too many requests; SVC_RATE_SUBMITS counts apart from actions", async () => {
    const fixture = createFixture({ SVC_RATE_SUBMITS: "2", SVC_RATE_ACTIONS: "1" }, OPTIONS);
    try {
      for (const left of [1, 0]) {
        const { headers } = await asked(fixture, { fields: { title: "milk" } });
        assert.match(headers.get("ratelimit") ?? "", new RegExp(`^"submits";r=${left};`));
      }
      const { status, headers, reply } = await asked(fixture, { fields: { title: "milk" } });
      assert.deepEqual([status, reply], [429, refused("Too many requests")]);
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.equal((await fixture.client.action("nothing")).status, 200);
    } finally {
      await fixture.close();
    }
  });

  it("in production hide the details of an error", async () => {
    const fixture = createFixture({ NODE_ENV: "production", SVC_SECRET: "s".repeat(32) }, { ...OPTIONS, demo: true });
    try {
      assert.deepEqual((await asked(fixture, { fields: { title: "broken" } })).reply, refused("Internal error"));
    } finally {
      await fixture.close();
    }
  });

  it("reject a body that is too large by its announced length, before it is sent", async () => {
    const fixture = createFixture({}, OPTIONS);
    try {
      const token = await fixture.client.csrfToken();
      const started = await fixture.app.start({ port: 0 });
      const cookie = [...fixture.client.cookies].map((pair) => pair.join("=")).join("; ");
      const socket = connect(Number(new URL(started.url).port), "127.0.0.1");
      socket.write(
        `POST /_svc/submit/save HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\nX-Svc-CSRF: ${token}\r\n` +
          "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n",
      );
      const answer = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
      assert.match(answer, /^HTTP\/1\.1 413 /);
      socket.destroy();
      await started.close();
    } finally {
      await fixture.close();
    }
  });
});

interface Wrong {
  method?: string;
  name?: string;
  isOver?: boolean;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

const JSON_TYPE = { "content-type": "application/json" };
const DEEP = `${"[".repeat(40)}${"]".repeat(40)}`;
const bytes = (text: string, end: number[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...new TextEncoder().encode(text), ...end]);

/** One violation per check, and how the response shows it. */
const CHECKS: { name: string; wrong: Wrong; status: number; error?: RegExp }[] = [
  { name: "method", wrong: { method: "PUT" }, status: 405 },
  { name: "name", wrong: { name: "unknown" }, status: 404, error: /^Unknown action$/ },
  { name: "rate limit", wrong: { isOver: true }, status: 429, error: /^Too many requests$/ },
  { name: "content type", wrong: { headers: { "content-type": "text/plain" } }, status: 415 },
  { name: "origin and CSRF", wrong: { headers: { "x-svc-csrf": "", origin: "https://evil.example" } }, status: 403 },
  { name: "size", wrong: { body: "x".repeat(2 ** 20 + 1) }, status: 413, error: /^Payload too large$/ },
  { name: "UTF-8", wrong: { body: bytes('{"title":"', [0xff, 0x22]) }, status: 422, error: /UTF-8/ },
  { name: "parse", wrong: { body: '{"title":' }, status: 422, error: /^Invalid JSON/ },
  { name: "depth", wrong: { body: `{"title":${DEEP}}` }, status: 422, error: /nested over 32/ },
  { name: "schema", wrong: { body: '{"title":1}' }, status: 422, error: /^title: / },
  { name: "run", wrong: { body: '{"title":"broken"}' }, status: 500, error: /^secret detail$/ },
];

const BOTH: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "size, UTF-8": new Uint8Array(2 ** 20 + 1).fill(0xff),
  "UTF-8, parse": bytes('{"title":', [0xff]),
  "parse, depth": `{"title":${DEEP}`,
};

async function violate({ client }: Fixture, wrong: Wrong): Promise<{ status: number; error: string }> {
  const headers = { ...PROGRAM, ...JSON_TYPE, "x-svc-csrf": await client.csrfToken(), ...wrong.headers };
  if (wrong.isOver) await client.request("/_svc/submit/save", { method: "POST" });
  const init = { method: wrong.method ?? "POST", body: wrong.body ?? '{"title":"milk"}', headers };
  const response = await client.request(`/_svc/submit/${wrong.name ?? "save"}`, init);
  return { status: response.status, error: String(((await response.json()) as { error?: string }).error) };
}

describe("Order of checks: method, name, rate limit, content type, origin and CSRF, size, UTF-8, parse, depth, schema, run", () => {
  for (const [at, earlier] of CHECKS.entries()) {
    const later = CHECKS[at + 1];
    if (!later) continue;
    it(`of a submit is ${earlier.name} before ${later.name}`, async () => {
      const fixture = createFixture({ SVC_RATE_SUBMITS: "1" }, OPTIONS);
      try {
        const body = BOTH[`${earlier.name}, ${later.name}`] ?? earlier.wrong.body ?? later.wrong.body;
        const headers = { ...later.wrong.headers, ...earlier.wrong.headers };
        const wrong = { ...later.wrong, ...earlier.wrong, headers, ...(body !== undefined && { body }) };
        const { status, error } = await violate(fixture, wrong);
        assert.equal(status, earlier.status);
        if (earlier.error) assert.match(error, earlier.error);
      } finally {
        await fixture.close();
      }
    });
  }

  it("Order of checks: method, name, rate limit, content type, origin and CSRF, size, UTF-8, parse, depth, schema, run: of submits", async () => {
    const fixture = createFixture({}, OPTIONS);
    try {
      assert.deepEqual(await violate(fixture, { body: '{"title":"broken"}' }), { status: 500, error: "secret detail" });
    } finally {
      await fixture.close();
    }
  });
});
