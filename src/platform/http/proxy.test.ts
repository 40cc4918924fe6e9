import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CidrSet } from "../security/ssrf/cidr.ts";
import { listenTo, sendOverSocket, siteHttp } from "./adapters.test.ts";
import { json } from "./response/response.ts";
import type { Listening } from "./server.ts";

const FORWARDED = {
  host: "inner.example:3000",
  "x-forwarded-for": "6.6.6.6, 203.0.113.9",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "shop.example",
};

/** Facts about the client's address, as a handler sees them. */
interface Told {
  ip: string;
  secure: boolean;
  href?: string;
}

function site(trusted: string[]) {
  return siteHttp({
    trusted: new CidrSet(trusted),
    routes: {
      "GET /who": (ctx) => json({ ip: ctx.clientIp, secure: ctx.secure, href: ctx.url.href }),
    },
  });
}

for (const [who, trusted, expected] of [
  ["a trusted proxy", ["127.0.0.0/8"], { ip: "203.0.113.9", secure: true, href: "https://shop.example/who" }],
  ["a proxy of no configuration", [], { ip: "127.0.0.1", secure: false, href: "http://inner.example:3000/who" }],
  [
    "a peer that is not the proxy",
    ["10.0.0.0/8"],
    { ip: "127.0.0.1", secure: false, href: "http://inner.example:3000/who" },
  ],
] as const) {
  describe(`the headers that ${who} forwards`, () => {
    const http = site([...trusted]);
    let server: Listening;
    before(async () => void (server = await listenTo(http)));
    after(() => server.close(0));

    it(trusted[0] === "127.0.0.0/8" ? "are trusted" : "are not trusted", async () => {
      const reply = await sendOverSocket(server.port, "/who", { headers: FORWARDED });
      assert.deepEqual(JSON.parse(reply.text) as Told, expected);
    });

    it("are not required", async () => {
      const reply = await sendOverSocket(server.port, "/who", { headers: { host: "inner.example:3000" } });
      assert.deepEqual(JSON.parse(reply.text) as Told, {
        ip: "127.0.0.1",
        secure: false,
        href: "http://inner.example:3000/who",
      });
    });
  });
}

describe("an invalid forwarded host", () => {
  it("is refused when the handler reads the URL", async (test) => {
    const server = await listenTo(site(["127.0.0.0/8"]));
    test.after(() => server.close(0));
    for (const host of ["evil.test/path", "user@evil.test", "a b"]) {
      const reply = await sendOverSocket(server.port, "/who", { headers: { "x-forwarded-host": host } });
      assert.equal(reply.status, 400, host);
    }
  });
});
