/** The operator actions of the run screen. */
import { SvcError, type App, type Entry } from "../index.ts";
import { requireFinite, storedFields, valueOf } from "../internal.ts";
import type { Json } from "../graph.ts";
import { OPS_PATH } from "./operator-access.ts";
import type { Screens } from "./ops-context.ts";
import { INPUT_FORM_BYTES, operatorRoute, type Step, type StepResult } from "./operator-route.ts";
import { VALUE_PREFIX } from "./screens/runs/signal-forms.tsx";
import { isStep } from "./views/runs/allowed-actions.ts";

const DONE = {
  pause: "Pausing: running nodes finish, no new ones start.",
  resume: "Resumed.",
  cancel: "Cancelled.",
  terminate: "Terminated. Nothing was compensated.",
  retry: "Retrying.",
} as const;
/** How long hidden values stay revealed. */
const REVEALED = "5m";
/** Base for parsing relative URLs. */
const ANY_ORIGIN = "http://ops";

export function runRoutes(screens: Screens): Entry[] {
  return [
    operatorRoute(screens, "/runs/start", start, INPUT_FORM_BYTES),
    operatorRoute(screens, "/runs/:id/fork", fork, INPUT_FORM_BYTES),
    operatorRoute(screens, "/runs/:id/signal", signal, INPUT_FORM_BYTES),
    operatorRoute(screens, "/runs/:id/reveal", reveal),
    operatorRoute(screens, "/runs/:id/:step", control),
  ];
}

async function control({ app, params, fields, auditContext }: Step): Promise<StepResult> {
  const step = params["step"];
  if (!isStep(step)) throw new SvcError("SVC_NOT_FOUND", `Unknown action "${String(step).slice(0, 40)}"`);
  const { from } = fields;
  const options = step === "retry" && from ? { ...auditContext, from } : auditContext;
  await app.engine[step](idOf(params), options);
  return { tone: "good", text: DONE[step] };
}

async function fork({ app, params, fields, auditContext }: Step): Promise<StepResult> {
  const input = readJson(fields["input"], "input");
  const options = { ...auditContext, from: fields["from"] ?? "", ...(input !== undefined && { input }) };
  const { graph_id: id } = await app.engine.fork(idOf(params), options);
  return { tone: "good", text: `Started a new run from ${options.from}.`, to: `${OPS_PATH}/runs/${id}` };
}

async function start({ app, fields, auditContext }: Step): Promise<StepResult> {
  const { worker = "", like } = fields;
  const given = readJson(fields["input"], "input");
  // The screen may show a reason in place of the input.
  const values = given === undefined ? "required" : "shown";
  const other = like ? await app.engine.snapshot(like, { limit: 0, values }) : undefined;
  if (like && !other)
    throw new SvcError(
      "SVC_NOT_FOUND",
      `The run "${like.slice(0, 100)}" no longer exists. Enter the input to start a new run`,
    );
  const input = given ?? other?.input ?? null;
  const { snapshot } = await app.engine.start(worker, input, {
    origin: { kind: "operator" },
    ...(other && { tags: other.tags }),
  });
  await app.operations.record("graph.start", snapshot.graph_id, auditContext, { worker, ...(like && { like }) });
  return { tone: "good", text: "Started.", to: `${OPS_PATH}/runs/${snapshot.graph_id}` };
}

async function signal({ app, params, fields, auditContext }: Step): Promise<StepResult> {
  const { name = "", wait } = fields;
  const payload =
    wait === undefined ? readJson(fields["payload"], "payload") : await formValue(app, idOf(params), fields);
  await app.engine.signal(idOf(params), name, payload ?? null, auditContext);
  return { tone: "good", text: `Signal ${name} sent.` };
}

/** The value of a form with fields. @throws SvcError `SVC_TRANSITION` if the run no longer waits for it. */
async function formValue(app: App, id: string, fields: Step["fields"]): Promise<Json> {
  const node = await app.engine.node(id, fields["wait"] ?? "");
  const stored = node?.status === "waiting" ? storedFields(node.input) : undefined;
  if (!stored) throw new SvcError("SVC_TRANSITION", "The run no longer waits for this signal");
  return valueOf(stored.fields, (name) => fields[`${VALUE_PREFIX}${name}`]);
}

/** Records the request in the audit trail before revealing hidden values. */
async function reveal({ app, params, fields, auditContext }: Step): Promise<StepResult> {
  const id = idOf(params);
  await app.operations.record("graph.reveal", id, auditContext);
  const given = fields["back"] ?? "";
  const back = new URL(URL.canParse(given, ANY_ORIGIN) ? given : "", ANY_ORIGIN);
  back.searchParams.set("reveal", app.seal(`ops reveal ${id}`, auditContext.by ?? "", REVEALED));
  const isOfRun = back.pathname === `${OPS_PATH}/runs/${id}`;
  const to = isOfRun ? back.pathname + back.search : `${OPS_PATH}/runs/${id}?${back.searchParams.toString()}`;
  return { tone: "good", text: "Hidden values are shown for five minutes.", to };
}

function idOf(params: Step["params"]): string {
  return params["id"] ?? "";
}

/** Parses a JSON field; undefined if it is empty. @throws SvcError `SVC_INVALID` */
function readJson(text: string | undefined, field: string): Json | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw new SvcError("SVC_INVALID", `The ${field} is not valid JSON: ${(error as Error).message}`);
  }
  requireFinite(value);
  return value;
}
