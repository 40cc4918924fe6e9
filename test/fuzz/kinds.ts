/** The kinds of fuzz input. Each is a fast-check property that must hold for a running app. */
import assert from "node:assert/strict";
import fc, { type Arbitrary, type IAsyncProperty } from "fast-check";
import { decoded, readAnswers, type Answer } from "./answers.ts";
import { API_KEY, type Target } from "./app.ts";
import { callers } from "./callers.ts";
import { exchange, type Leaving } from "./connection.ts";
import { actionBody, operatorCall } from "./json-bodies.ts";
import { argsOf } from "./json-oracle.ts";
import { oddForms, oddReads, type OddRequest } from "./odd-requests.ts";
import { mutatedRequests, randomBytes, validRequests } from "./raw-requests.ts";
import { checkAnswer } from "./rules.ts";
import { uploads } from "./uploads.ts";

export interface Kind {
  name: string;
  /** Default 1. */
  inputsPerRun?: number;
  /** Whether inputs may create rows that remain, so that memory may grow. */
  isKept?: boolean;
  property(target: Target): IAsyncProperty<unknown>;
}

/** Number of concurrent connections. Each waits to see whether the server sends more. */
const AT_ONCE = 24;

/** Maximum number of characters of an input in a failure message. */
const SHOWN = 1500;

const leaving: Arbitrary<Leaving> = fc.oneof(
  { weight: 7, arbitrary: fc.constant<Leaving>("end") },
  fc.constant<Leaving>("reset"),
);
const leavingEarly = fc.constantFrom<Leaving>("end", "reset", "drop");

/** Some clients read these pages to the end; most leave earlier. */
const latePages = fc
  .constantFrom("br", "gzip", "identity")
  .map((coding) =>
    Buffer.from(`GET /late HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: ${coding}\r\n\r\n`),
  );

export const KINDS: readonly Kind[] = [
  { name: "random bytes", inputsPerRun: AT_ONCE, property: (target) => overSockets(target, randomBytes) },
  {
    name: "malformed requests",
    inputsPerRun: AT_ONCE,
    property: (target) => overSockets(target, mutatedRequests(validRequests(target))),
  },
  {
    name: "JSON of action calls",
    property: (target) =>
      fc.asyncProperty(actionBody, fc.boolean(), async (body, isRaw) => {
        const answer = await ask(target, isRaw, actionCall(target, body));
        const args = argsOf(body);
        assert.equal(answer.status, args === undefined ? 422 : 200, answer.body);
        if (args === undefined) return;
        // Serialized as JSON, which has neither -0 nor infinite numbers.
        assert.equal(answer.body, JSON.stringify({ ok: true, value: args, error: null }));
      }),
  },
  {
    name: "JSON of operators",
    isKept: true,
    property: (target) =>
      fc.asyncProperty(operatorCall(target), fc.boolean(), async ({ method, path, body }, isRaw) => {
        const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
        await ask(target, isRaw, { method, path, headers, body: new TextEncoder().encode(body) });
      }),
  },
  {
    name: "callers with valid and forged tokens",
    property: (target) =>
      fc.asyncProperty(callers(target.visitors), fc.boolean(), async ({ request, mayMutate }, isRaw) => {
        const answer = await ask(target, isRaw, request);
        assert.equal(answer.status, mayMutate ? 200 : 403, answer.body);
      }),
  },
  {
    name: "queries, cookies and headers",
    property: (target) =>
      fc.asyncProperty(oddReads, fc.boolean(), async (request, isRaw) => void (await ask(target, isRaw, request))),
  },
  {
    name: "forms",
    property: (target) =>
      fc.asyncProperty(oddForms(target), fc.boolean(), async (form, isRaw) => void (await ask(target, isRaw, form))),
  },
  {
    name: "uploads, some of them cut off",
    inputsPerRun: AT_ONCE,
    property: (target) => overSockets(target, uploads(target), leavingEarly),
  },
  {
    name: "streamed pages",
    inputsPerRun: AT_ONCE,
    property: (target) => overSockets(target, latePages, leavingEarly),
  },
];

function overSockets(target: Target, bytes: Arbitrary<Uint8Array>, ways = leaving): IAsyncProperty<unknown> {
  const connections = fc.array(fc.tuple(bytes, ways), { minLength: 1, maxLength: AT_ONCE, size: "max" });
  return fc.asyncProperty(connections, async (all) => {
    const exchanges = await Promise.all(all.map(([sent, how]) => exchange(target.port, sent, how)));
    assert.deepEqual(target.faults.splice(0), []);
    for (const [index, { bytes: received }] of exchanges.entries()) {
      try {
        for (const answer of readAnswers(received)) checkAnswer(decoded(answer));
      } catch (error) {
        const sent = Buffer.from(all[index]?.[0] ?? []).toString("latin1");
        throw new Error(`${(error as Error).message}, having sent ${JSON.stringify(sent.slice(0, SHOWN))}`, {
          cause: error,
        });
      }
    }
  });
}

function actionCall({ session }: Target, body: string): OddRequest {
  const headers = { cookie: session.cookie, "x-svc-csrf": session.token, "content-type": "application/json" };
  // A lone surrogate is not valid UTF-8, so it can only be sent as an escape sequence.
  return { method: "POST", path: "/_svc/action/echo", headers, body: new TextEncoder().encode(body) };
}

/** Sends a request through one of the adapters and checks the rules for all responses. */
async function ask(target: Target, isRaw: boolean, request: OddRequest): Promise<Answer> {
  const answer = decoded(isRaw ? await askOverSocket(target, request) : await askInMemory(target, request));
  // Checked first, so that the errors are not attributed to the next input.
  assert.deepEqual(target.faults.splice(0), []);
  checkAnswer(answer);
  return answer;
}

async function askInMemory({ app }: Target, { path, ...init }: OddRequest): Promise<Answer> {
  const response = await app.fetch(new Request(`http://localhost${path}`, init));
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()).toString("latin1") };
}

async function askOverSocket({ port }: Target, { method, path, headers, body }: OddRequest): Promise<Answer> {
  const lines = Object.entries({ host: "localhost", connection: "close", ...headers }).map((pair) => pair.join(": "));
  if (body) lines.push(`content-length: ${body.length}`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const { bytes } = await exchange(port, Buffer.concat([head, body ?? new Uint8Array()]), "wait");
  const [answer, ...more] = readAnswers(bytes);
  assert.ok(
    answer && more.length === 0,
    `${more.length + (answer ? 1 : 0)} answers: ${bytes.toString("latin1", 0, 500)}`,
  );
  return answer;
}
