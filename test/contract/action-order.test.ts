/** Contract section 5, the order of checks: when a request fails two neighboring checks, the earlier one answers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { action } from "svckit";
import * as v from "valibot";
import { createFixture, type Fixture } from "./app.ts";

const ran: string[] = [];
const actions = {
  save: action(v.object({ title: v.string() }), ({ title }) => {
    ran.push(title);
    throw new Error("it ran");
  }),
};

interface Wrong {
  method?: string;
  name?: string;
  /** The client has used up its rate limit. */
  isOver?: boolean;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

const bytes = (text: string, end: number[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...new TextEncoder().encode(text), ...end]);
const DEEP = `${"[".repeat(40)}${"]".repeat(40)}`;
const MIB = 2 ** 20;

/** One violation per check, and how the response shows it. `BOTH` lists the bodies that violate two checks. */
const CHECKS: { name: string; wrong: Wrong; status: number; error?: RegExp }[] = [
  { name: "method", wrong: { method: "PUT" }, status: 405 },
  { name: "name", wrong: { name: "unknown" }, status: 404, error: /^Unknown action$/ },
  { name: "rate limit", wrong: { isOver: true }, status: 429, error: /^Too many requests$/ },
  { name: "content type", wrong: { headers: { "content-type": "text/plain" } }, status: 415 },
  { name: "origin and CSRF", wrong: { headers: { "x-svc-csrf": "", origin: "https://evil.example" } }, status: 403 },
  { name: "size", wrong: { body: "x".repeat(MIB + 1) }, status: 413, error: /^Payload too large$/ },
  { name: "UTF-8", wrong: { body: bytes('{"args":[{"title":"', [0xff, 0x22]) }, status: 422, error: /UTF-8/ },
  { name: "parse", wrong: { body: '{"args":[' }, status: 422, error: /^Invalid JSON/ },
  { name: "depth", wrong: { body: `{"args":[${DEEP}]}` }, status: 422, error: /nested over 32/ },
  { name: "schema", wrong: { body: '{"args":[{"title":1}]}' }, status: 422, error: /^title: / },
  { name: "run", wrong: {}, status: 500, error: /^it ran$/ },
];

/** Bodies that violate two checks at once. */
const BOTH: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "size, UTF-8": new Uint8Array(MIB + 1).fill(0xff),
  "UTF-8, parse": bytes('{"args":[', [0xff]),
  "parse, depth": `{"args":[${DEEP}`,
  "depth, schema": `{"args":[{"title":${DEEP}}]}`,
};

async function send(fixture: Fixture, wrong: Wrong): Promise<{ status: number; error: string }> {
  const { client } = fixture;
  const headers = { "content-type": "application/json", "x-svc-csrf": await client.csrfToken(), ...wrong.headers };
  const target = `/_svc/action/${wrong.name ?? "save"}`;
  const init = { method: wrong.method ?? "POST", body: wrong.body ?? '{"args":[{"title":"milk"}]}', headers };
  if (wrong.isOver) await client.request("/_svc/action/save", { method: "POST" });
  const response = await client.request(target, init);
  const reply = (await response.json()) as { error?: string };
  return { status: response.status, error: String(reply.error) };
}

/** A request that violates both checks: everything of the earlier violation, and what remains of the later one. */
function joined(earlier: (typeof CHECKS)[number], later: (typeof CHECKS)[number]): Wrong {
  const body = BOTH[`${earlier.name}, ${later.name}`] ?? earlier.wrong.body ?? later.wrong.body;
  const headers = { ...later.wrong.headers, ...earlier.wrong.headers };
  return { ...later.wrong, ...earlier.wrong, headers, ...(body === undefined ? {} : { body }) };
}

describe("the order of an action's checks", () => {
  for (const [at, earlier] of CHECKS.entries()) {
    const later = CHECKS[at + 1];
    if (!later) continue;
    it(`has ${earlier.name} before ${later.name}`, async () => {
      const fixture = createFixture({ SVC_RATE_ACTIONS: "1" }, { actions });
      try {
        const { status, error } = await send(fixture, joined(earlier, later));
        assert.equal(status, earlier.status);
        if (earlier.error) assert.match(error, earlier.error);
        assert.deepEqual(ran, []);
      } finally {
        await fixture.close();
      }
    });
  }

  it("ends with the run, when every check passes", async () => {
    const fixture = createFixture({}, { actions });
    try {
      assert.deepEqual(await send(fixture, {}), { status: 500, error: "it ran" });
      assert.deepEqual(ran, ["milk"]);
    } finally {
      await fixture.close();
    }
  });
});
