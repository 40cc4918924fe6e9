/** Forms that send signals: on the operators' screens and on the app's own pages. All requests are those of a browser without scripts. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import * as v from "valibot";
import { redirect } from "svckit";
import { createFullStackApp, SignalForm, signalSubmit, type SignalFormProps } from "svckit/fullstack";
import { defineSignal, worker } from "svckit/graph";
import { html, t } from "svckit/jsx-runtime";
import { recordLog } from "svckit/testing";
import { localClient, localOperator, until } from "./ops-app.ts";

const decision = defineSignal(
  "decision",
  v.object({
    isApproved: v.boolean(),
    cents: v.pipe(v.number(), v.minValue(1, "At least one cent")),
    reason: v.optional(v.string()),
    size: v.picklist(["small", "large"]),
  }),
);
const refund = worker("refund", async (_input: unknown, ctx) => ctx.waitFor(decision));
const list = defineSignal("list", v.object({ lines: v.array(v.string()) }));

/** A signed-in manager has the cookie that the app's own sign-in would set; here a query selects the visitor. */
const decide = signalSubmit("decide", decision, {
  engine: () => app.engine,
  authorize: (ctx, run) => ctx.cookies["who"] === "manager" && run.tags.includes("ours"),
  by: (ctx) => ctx.cookies["who"],
});
const decideElsewhere = signalSubmit("decide-elsewhere", decision, {
  engine: () => app.engine,
  authorize: () => true,
  onSent: (_ctx, run) => redirect(`/?sent=${run.worker}`),
});
const send = signalSubmit("send", list, { engine: () => app.engine, authorize: () => true });

const formOf = (props: SignalFormProps<never>) => html(() => t(SignalForm(props)));
const app = createFullStackApp(
  {
    env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), NODE_ENV: "test" },
    log: recordLog(),
    workers: [refund],
    ops: { authorize: localOperator, undo: false },
  },
  {
    "./pages/_submits.ts": { decide, decideElsewhere, send },
    "./pages/index.tsx": {
      default: ({ ctx }: { ctx: { query: URLSearchParams } }) =>
        formOf({ submit: decide as never, run: ctx.query.get("run") ?? "", label: "Decide" }),
    },
    "./pages/wrong.tsx": { default: () => formOf({ submit: send as never, run: "g_1" }) },
  },
);
await app.boot();
after(() => app.close());
const client = localClient(app);

/** Starts a run, and waits until it waits. */
async function waiting(tags: string[] = ["ours"]): Promise<string> {
  const { id } = await app.engine.start(refund, null, { tags });
  const isOpen = async () => ((await app.engine.snapshot(id))?.nodes ?? []).some(({ status }) => status === "waiting");
  await until(async () => (await isOpen()) && (await app.engine.node(id, "refund#decision")) !== undefined, "the wait");
  return id;
}

const resultOf = async (id: string): Promise<unknown> => app.engine.result(id);

describe("The screen of a run that waits for a signal with a schema", () => {
  it("has a form with the fields of the schema, and sends their values", async () => {
    const id = await waiting();
    const page = await (await client.get(`/_svc/ops/runs/${id}`)).text();
    assert.match(page, /<input type="checkbox" name="value\.isApproved"/);
    assert.match(page, /<input type="number"[^>]*name="value\.cents"[^>]*required/);
    assert.match(page, /<select name="value\.size" required/);
    assert.match(page, /Is approved/);
    assert.doesNotMatch(page, /name="payload"/);
    const wait = { name: "decision", wait: "refund#decision" };
    const values = { "value.isApproved": "on", "value.cents": "12", "value.reason": "", "value.size": "large" };
    const answer = await client.submit(`/_svc/ops/runs/${id}/signal`, { ...wait, ...values });
    assert.equal(answer.status, 303);
    assert.deepEqual(await resultOf(id), { isApproved: true, cents: 12, size: "large" });
  });

  it("shows the error of a value that the schema rejects, and sends nothing", async () => {
    const id = await waiting();
    const fields = { name: "decision", wait: "refund#decision", "value.cents": "0", "value.size": "large" };
    const answer = await client.submit(`/_svc/ops/runs/${id}/signal`, fields);
    const page = await (await client.get(answer.headers.get("location") ?? "")).text();
    assert.match(page, /At least one cent/);
    assert.equal((await app.engine.snapshot(id))?.status, "running");
    await app.engine.cancel(id);
    const late = await client.submit(`/_svc/ops/runs/${id}/signal`, { ...fields, back: `/_svc/ops/runs/${id}` });
    const ended = await (await client.get(late.headers.get("location") ?? "")).text();
    assert.match(ended, /The run no longer waits for this signal/);
  });
});

describe("<SignalForm>", () => {
  const values = { "value.cents": "5", "value.size": "small" };
  const fieldsOf = (run: string, given: Record<string, string> = values) => ({ run, _page: `/?run=${run}`, ...given });
  const asManager = (): void => void (client.cookies as Map<string, string>).set("who", "manager");
  const asVisitor = (): void => void (client.cookies as Map<string, string>).delete("who");

  it("has the fields of the schema, a CSRF token and the run", async () => {
    const id = await waiting();
    const page = await (await client.get(`/?run=${id}`)).text();
    assert.match(page, new RegExp(`<input type="hidden" name="run" value="${id}">`));
    assert.match(page, /action="\/_svc\/submit\/decide"/);
    assert.match(page, /name="_csrf"/);
    for (const name of ["isApproved", "cents", "reason", "size"])
      assert.match(page, new RegExp(`name="value\\.${name}"`));
    assert.match(page, /<button>Decide<\/button>/);
    await app.engine.cancel(id);
  });

  it("sends the signal of a visitor whom the app authorizes, with the sender", async () => {
    const id = await waiting();
    asManager();
    const answer = await client.submit("/_svc/submit/decide", fieldsOf(id, { ...values, "value.isApproved": "on" }));
    assert.equal(answer.status, 303);
    const { isApproved, cents } = (await resultOf(id)) as { isApproved: boolean; cents: number };
    assert.deepEqual([isApproved, cents], [true, 5]);
    const sent = (await app.engine.events(id)).find(({ type }) => type === "graph.signal");
    assert.deepEqual(sent?.data, { name: "decision", by: "manager" });
  });

  it("is refused without authorization, for another run, for a missing run, and without a token", async () => {
    const [ours, theirs] = [await waiting(), await waiting(["theirs"])];
    asVisitor();
    assert.equal((await client.submit("/_svc/submit/decide", fieldsOf(ours))).status, 403);
    asManager();
    assert.equal((await client.submit("/_svc/submit/decide", fieldsOf(theirs))).status, 403);
    assert.equal((await client.submit("/_svc/submit/decide", fieldsOf("g_missing"))).status, 404);
    const forged = new URLSearchParams(fieldsOf(ours));
    assert.equal((await client.request("/_svc/submit/decide", { method: "POST", body: forged })).status, 403);
    for (const id of [ours, theirs]) {
      assert.equal((await app.engine.snapshot(id))?.status, "running");
      await app.engine.cancel(id);
    }
  });

  it("shows the page again with the errors of the fields", async () => {
    const id = await waiting();
    asManager();
    const wrong = { ...fieldsOf(id, { ...values, "value.cents": "0" }), _form: `decide-${id}` };
    const answer = await client.submit("/_svc/submit/decide", wrong);
    assert.equal(answer.status, 422);
    const page = await answer.text();
    assert.match(page, /At least one cent/);
    assert.match(page, /name="value\.cents"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*name="value\.cents"/);
    await app.engine.cancel(id);
  });

  it("goes where onSent redirects to", async () => {
    const id = await waiting();
    const answer = await client.submit("/_svc/submit/decide-elsewhere", fieldsOf(id));
    assert.equal(answer.headers.get("location"), "/?sent=refund");
    await resultOf(id);
  });

  it("reports a schema whose fields a form can't have", async () => {
    const page = await client.get("/wrong");
    assert.equal(page.status, 500);
    assert.throws(() => signalSubmit("none", list, {} as never), { code: "SVC_DEFINITION", message: /"authorize"/ });
  });
});
