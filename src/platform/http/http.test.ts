import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../shared/errors.ts";
import { sendRaw } from "../../testing/send-raw.ts";
import { listenTo, sendOverSocket, siteHttp, throughBothAdapters, type Site } from "./adapters.test.ts";
import { empty, html, json, redirectTo, text } from "./response/response.ts";
import type { Context, Middleware } from "./types.ts";

interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
}

const problemOf = (body: string): Problem => JSON.parse(body) as Problem;

const SITE: Site = {
  routes: {
    "GET /": () => html("<p>start</p>"),
    "GET /todos/:id": (ctx) => json({ params: ctx.params, path: ctx.path }),
    "POST /todos/:id": (ctx) => text(ctx.params["id"] ?? "none"),
    "GET /todos/new": () => text("the form"),
    "GET /files/**:path": (ctx) => json(ctx.params),
    "DELETE /only": () => empty(),
    "GET /query": (ctx) => json([...ctx.query]),
    "GET /url": (ctx) => text(ctx.url.href),
    "GET /café au lait": () => text("found"),
    "GET /cookies": cookies,
    "GET /kept/:said": (ctx) => {
      ctx.setCookie("a", "1");
      return { ...text("one visitor's"), headers: ["cache-control", ctx.params["said"] ?? ""] };
    },
    "GET /expires": (ctx) => {
      ctx.setCookie("a", "1");
      return { ...text("one visitor's"), headers: ["expires", "Thu, 01 Jan 2099 00:00:00 GMT"] };
    },
    "GET /front/:name/:said": (ctx) => {
      ctx.setCookie("a", "1");
      const headers = ["cache-control", "private", ctx.params["name"] ?? "", ctx.params["said"] ?? ""];
      return { ...text("one visitor's"), headers };
    },
    "GET /go": () => redirectTo("/todos/1"),
    "GET /empty": () => empty(),
    "GET /nonce": (ctx) => json({ nonce: ctx.nonce, again: ctx.nonce }),
    "GET /locals": (ctx) => json(ctx.locals),
    "GET /sync": () => {
      throw new Error("secret detail");
    },
    "GET /async": async () => Promise.reject(new Error("secret detail")),
    "GET /undefined": () => undefined as unknown as Response,
    "GET /known": () => {
      throw new SvcError("SVC_TRANSITION", "It is done already", { headers: { "x-state": "done" } });
    },
    "GET /unavailable": () => {
      throw new SvcError("SVC_UNAVAILABLE", "secret detail", { headers: { "retry-after": "3" } });
    },
  },
};

function cookies(ctx: Context) {
  ctx.setCookie("a", "1");
  ctx.setCookie("b", "2; Path=/evil", { httpOnly: false });
  return json(ctx.cookies);
}

throughBothAdapters("routing", SITE, (send) => {
  it("finds the most specific pattern, with decoded parameters", async () => {
    assert.equal((await send("/todos/new")).text, "the form");
    assert.deepEqual(JSON.parse((await send("/todos/caf%C3%A9%2042")).text), {
      params: { id: "café 42" },
      path: "/todos/café 42",
    });
    assert.deepEqual(JSON.parse((await send("/files/a/b%20c.txt")).text), { path: "a/b c.txt" });
    assert.equal((await send("/caf%C3%A9%20au%20lait")).text, "found");
  });

  it("treats an encoded slash as data of the parameter, which never changes the route", async () => {
    const reply = JSON.parse((await send("/todos/a%2Fb%2f%2Fc%252Fd")).text) as {
      params: { id: string };
      path: string;
    };
    assert.deepEqual([reply.params.id, reply.path], ["a/b//c%2Fd", "/todos/a%2Fb%2F%2Fc%2Fd"]);
    assert.equal((await send("/todos%2Fnew")).status, 404);
    assert.equal((await send("/todos/new%2F")).text.includes("params"), true);
    assert.deepEqual(JSON.parse((await send("/files/a%2Fb/c")).text), { path: "a/b/c" });
    assert.deepEqual(JSON.parse((await send("/todos/%2F__proto__")).text), {
      params: { id: "/__proto__" },
      path: "/todos/%2F__proto__",
    });
  });

  it("answers an unknown path with a 404 problem", async () => {
    for (const target of ["/nothing", "/todos", "/todos/1/2", "/Todos/1"]) {
      const reply = await send(target);
      assert.equal(reply.status, 404, target);
      assert.equal(reply.headers["content-type"], "application/problem+json");
      assert.deepEqual(problemOf(reply.text), {
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: `Nothing is at ${target}`,
        code: "SVC_NOT_FOUND",
      });
    }
  });

  it("finds nothing by names of prototype properties", async () => {
    for (const target of ["/__proto__", "/constructor", "/toString", "/hasOwnProperty"])
      assert.equal((await send(target)).status, 404, target);
    const { params } = JSON.parse((await send("/todos/__proto__")).text) as { params: { id: string } };
    assert.equal(params.id, "__proto__");
  });

  it("answers a known path with another method with 405 and the allowed methods", async () => {
    for (const [method, target, allow] of [
      ["PUT", "/todos/1", "GET, HEAD, POST"],
      ["OPTIONS", "/", "GET, HEAD"],
      ["GET", "/only", "DELETE"],
      ["HEAD", "/only", "DELETE"],
      ["PATCH", "/files/x", "GET, HEAD"],
    ] as const) {
      const reply = await send(target, { method });
      assert.equal(reply.status, 405, `${method} ${target}`);
      assert.equal(reply.headers["allow"], allow, `${method} ${target}`);
      if (method !== "HEAD") assert.equal(problemOf(reply.text).code, "SVC_METHOD");
    }
  });

  it("answers HEAD like GET, including the length, without the body", async () => {
    const [got, headed] = [await send("/"), await send("/", { method: "HEAD" })];
    assert.equal(headed.status, 200);
    assert.equal(headed.text, "");
    assert.equal(headed.headers["content-length"], String(got.bytes.length));
    assert.equal(headed.headers["content-type"], got.headers["content-type"]);
  });

  it("answers HEAD of a failing route with its status and no body", async () => {
    for (const [target, status] of [
      ["/nothing", 404],
      ["/sync", 500],
    ] as const) {
      const reply = await send(target, { method: "HEAD" });
      assert.deepEqual([reply.status, reply.text], [status, ""]);
    }
  });

  it("parses the query like a form", async () => {
    const reply = await send("/query?a=1&a=2&b=%C3%A9+x&c&broken=%zz&__proto__=p");
    const expected = [
      ["a", "1"],
      ["a", "2"],
      ["b", "é x"],
      ["c", ""],
      ["broken", "%zz"],
      ["__proto__", "p"],
    ];
    assert.deepEqual(JSON.parse(reply.text), expected);
  });

  it("refuses malformed and ambiguous targets with a 400 problem", async () => {
    for (const target of ["/%zz", "/%ff", "/a%00b", "/a//b", "/a%2f%2e%2e%2fb", "/a%5cb"]) {
      const reply = await send(target);
      assert.equal(reply.status, 400, target);
      assert.equal(problemOf(reply.text).code, "SVC_BAD_REQUEST");
    }
  });

  it("refuses a URL over 8 KiB with 414", async () => {
    const reply = await send(`/?${"a".repeat(8191)}`);
    assert.equal(reply.status, 414);
    assert.equal(problemOf(reply.text).code, "SVC_URL_TOO_LONG");
  });
});

throughBothAdapters("answers", SITE, (send) => {
  it("keep a request id of visible ASCII, and create one otherwise", async () => {
    const idFor = async (given?: string): Promise<string> =>
      (await send("/", { headers: given === undefined ? {} : { "x-request-id": given } })).headers["x-request-id"] ??
      "";
    assert.equal(await idFor("trace-1/2"), "trace-1/2");
    assert.equal(await idFor("a".repeat(128)), "a".repeat(128));
    for (const bad of [undefined, "a".repeat(129), "two words", "tab\there", "caf\xe9"]) {
      assert.match(await idFor(bad), /^[0-9a-f]{32}$/, String(bad));
    }
    assert.notEqual(await idFor(), await idFor());
  });

  it("have the request id and added headers, including refusals and failures", async () => {
    for (const target of ["/nothing", "/%zz", "/sync", "/go", "/empty"]) {
      const { headers } = await send(target);
      assert.equal(headers["x-finished"], "yes", target);
      if (target !== "/%zz") assert.match(headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/, target);
    }
  });

  it("have all cookies that were set, encoded", async () => {
    const reply = await send("/cookies", { headers: { cookie: "theme=dark; other=%20" } });
    assert.deepEqual(JSON.parse(reply.text), { theme: "dark", other: " " });
    assert.deepEqual(reply.cookies, [
      "a=1; Path=/; HttpOnly; SameSite=Lax",
      "b=2%3B%20Path%3D%2Fevil; Path=/; SameSite=Lax",
    ]);
  });

  it("with a cookie are stored by no shared cache, whatever the handler says", async () => {
    const saidOf = async (target: string) => (await send(target)).headers["cache-control"];
    for (const open of ["public", "max-age=600", "s-maxage=60", "immutable", "Max-Age=5, must-revalidate"])
      assert.equal(await saidOf(`/kept/${encodeURIComponent(open)}`), "private, no-store", open);
    assert.equal(await saidOf("/expires"), "private, no-store");
    for (const own of ["private, max-age=600", "no-store", "no-cache"])
      assert.equal(await saidOf(`/kept/${encodeURIComponent(own)}`), own);
  });

  it("with a cookie are stored by no cache that uses headers of its own", async () => {
    const saidOf = async (name: string, said: string) => {
      const { headers } = await send(`/front/${name}/${encodeURIComponent(said)}`);
      return [headers["cache-control"], headers[name]];
    };
    for (const [name, open] of [
      ["cdn-cache-control", "max-age=600"],
      ["cdn-cache-control", "stale-while-revalidate=60"],
      ["vercel-cdn-cache-control", "public, s-maxage=60"],
      ["surrogate-control", 'content="ESI/1.0", max-age=60'],
      ["edge-control", "cache-maxage=1d"],
      ["x-accel-expires", "3600"],
      ["x-accel-expires", "@1900000000"],
    ] as const)
      assert.deepEqual(await saidOf(name, open), ["private", undefined], `${name}: ${open}`);
    for (const [name, own] of [
      ["cdn-cache-control", "no-store"],
      ["cloudflare-cdn-cache-control", "private, max-age=60"],
      ["surrogate-control", 'content="ESI/1.0"'],
      ["x-accel-expires", "0"],
    ] as const)
      assert.deepEqual(await saidOf(name, own), ["private", own], `${name}: ${own}`);
  });

  it("without a body are complete: 204 and redirects", async () => {
    const none = await send("/empty");
    assert.deepEqual([none.status, none.text, none.headers["content-length"]], [204, "", undefined]);
    const go = await send("/go");
    assert.deepEqual([go.status, go.headers["location"], go.headers["content-length"]], [303, "/todos/1", "0"]);
  });

  it("have one nonce each, which is never repeated", async () => {
    const nonces = await Promise.all([send("/nonce"), send("/nonce")]);
    const [one, other] = nonces.map(({ text: body }) => JSON.parse(body) as { nonce: string; again: string });
    assert.equal(one?.nonce, one?.again);
    assert.equal(Buffer.from(one?.nonce ?? "", "base64").length, 18);
    assert.notEqual(one?.nonce, other?.nonce);
  });
});

throughBothAdapters("errors of handlers", SITE, (send, http) => {
  it("become a 500 with only the request id, and the server keeps running", async () => {
    for (const target of ["/sync", "/async", "/undefined"]) {
      http.faults.length = 0;
      const reply = await send(target, { headers: { "x-request-id": "req-7" } });
      assert.equal(reply.status, 500, target);
      assert.deepEqual(problemOf(reply.text), {
        type: "about:blank",
        title: "Internal Server Error",
        status: 500,
        detail: "Something failed on our side. Request id: req-7",
        code: "SVC_INTERNAL",
      });
      assert.equal(http.faults.length, 1, "and the fault is reported");
    }
    assert.equal((await send("/")).status, 200);
  });

  it("with a client code have their message and headers", async () => {
    const reply = await send("/known");
    assert.deepEqual([reply.status, reply.headers["x-state"]], [409, "done"]);
    assert.equal(problemOf(reply.text).detail, "It is done already");
  });

  it("with a server code keep status and headers, and hide the message", async () => {
    const reply = await send("/unavailable");
    assert.deepEqual([reply.status, reply.headers["retry-after"]], [503, "3"]);
    assert.doesNotMatch(reply.text, /secret/);
  });
});

const note =
  (name: string): Middleware =>
  async (ctx, next) => {
    const order = (ctx.locals["order"] ??= []) as string[];
    order.push(`${name} in`);
    const answer = await next();
    order.push(`${name} out`);
    return answer;
  };

const ORDER: Site = {
  routes: {
    "GET /": (ctx) => json(ctx.locals["order"]),
    "GET /fail": () => {
      throw new SvcError("SVC_FORBIDDEN", "no");
    },
  },
  middleware: [
    async (ctx, next) => {
      const answer = await next();
      const order = ctx.locals["order"] as string[];
      return answer instanceof Response
        ? answer
        : { ...answer, headers: [...answer.headers, "x-order", order.join("; ")] };
    },
    note("one"),
    async (ctx, next) => (ctx.query.has("stop") ? text("stopped", 418) : next()),
    note("two"),
  ],
};

throughBothAdapters("middleware", ORDER, (send) => {
  it("runs outermost first, and back again", async () => {
    const reply = await send("/");
    assert.deepEqual(JSON.parse(reply.text), ["one in", "two in"]);
    assert.equal(reply.headers["x-order"], "one in; two in; two out; one out");
  });

  it("may answer without running inner middleware and handlers", async () => {
    const reply = await send("/?stop");
    assert.deepEqual([reply.status, reply.text, reply.headers["x-order"]], [418, "stopped", "one in; one out"]);
  });

  it("runs for unknown paths, and sees the errors of inner handlers", async () => {
    assert.equal((await send("/nothing")).headers["x-order"], "one in; two in; two out; one out");
    assert.equal((await send("/fail")).status, 403);
  });
});

describe("the absolute URL of a request", () => {
  const http = siteHttp(SITE);

  it("has the requested host through both adapters", async () => {
    assert.equal(
      await (await http.fetch(new Request("https://shop.example/url?a=1"))).text(),
      "https://shop.example/url?a=1",
    );
    const server = await listenTo(http);
    try {
      const { text: url } = await sendOverSocket(server.port, "/url?a=1", { headers: { host: "shop.example:8080" } });
      assert.equal(url, "http://shop.example:8080/url?a=1");
      const forwarded = { host: "a.example", "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" };
      const { text: untrusted } = await sendOverSocket(server.port, "/url", { headers: forwarded });
      assert.equal(untrusted, "http://a.example/url");
    } finally {
      await server.close(0);
    }
  });
});

describe("an app mounted in another framework", () => {
  it("passes on requests without a route, including malformed ones, and answers the others", async () => {
    const { createServer } = await import("node:http");
    const http = siteHttp(SITE);
    const server = createServer((message, reply) => {
      void http.handler(message, reply, () => reply.writeHead(299).end("theirs"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      assert.equal((await sendOverSocket(port, "/")).status, 200);
      assert.equal((await sendOverSocket(port, "/caf%C3%A9%20au%20lait?x")).text, "found");
      assert.equal((await sendOverSocket(port, "/only")).text, "theirs", "they may have a GET where we have a DELETE");
      assert.equal((await sendOverSocket(port, "/nothing")).text, "theirs");
      assert.equal((await sendOverSocket(port, "/%zz")).text, "theirs");
      assert.match(await sendRaw(port, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"), /^HTTP\/1\.1 200 /);
    } finally {
      server.close();
    }
  });
});
