/** A step that an operator takes from a screen: who may, in whose name, and what is told on the screen it leads back to. */
import {
  forbidden,
  readForm,
  redirect,
  route,
  SvcError,
  unauthorized,
  type App,
  type Context,
  type Handler,
  type Middleware,
  type RouteDefinition,
} from "../index.ts";
import type { AuditContext } from "../graph.ts";
import { backOf, type Visitor } from "./operator-access.ts";
import type { Screens } from "./ops-context.ts";
import { setOpsFlash, type OpsFlash } from "./ops-flash.ts";

export interface Step {
  readonly app: App;
  readonly params: Readonly<Record<string, string>>;
  /** Of the form. */
  readonly fields: Readonly<Record<string, string>>;
  /** Who does it, why and from where: for the record. */
  readonly auditContext: AuditContext;
  readonly nowMs: number;
}

/** What it came to; where it leads elsewhere than back, `to`. An empty text: that is told by where it leads. */
export type StepResult = OpsFlash & { to?: string };

/**
 * @param path below that of the screens. The CSRF token is checked by the route itself.
 * @param maxBytes of the form; default 16 KiB
 * @param run what it throws of `SvcError` below 500 is told on the screen; the rest is a fault of ours.
 */
export function operatorRoute(
  { app, gate }: Screens,
  path: string,
  run: (step: Step) => Promise<StepResult>,
  maxBytes = OPS_FORM_BYTES,
): RouteDefinition {
  const operatorOf = async (ctx: Context): Promise<Visitor> => {
    const access = await gate.access(ctx);
    if ("denial" in access) return unauthorized("Sign in to the operators' screens first");
    if (access.visitor.role !== "operator") return forbidden("You may look, not change: the operator role is needed");
    return access.visitor;
  };
  // Before the form is read: a stranger's body is not worth reading.
  const requireOperator: Middleware = async (ctx, next) => {
    await operatorOf(ctx);
    return next();
  };
  const handler: Handler = async (ctx) => {
    const { name } = await operatorOf(ctx);
    const { fields } = await readForm(ctx, maxBytes);
    const note = fields["note"]?.trim().slice(0, MAX_NOTE_LENGTH);
    const auditContext = { by: name, address: ctx.clientIp, ...(note && { note }) };
    const step = { app: app(), params: ctx.params, fields, auditContext, nowMs: app().operations.nowMs() };
    const { to, ...flash } = await run(step).catch(asFlash);
    if (flash.text !== "") setOpsFlash(ctx, app(), flash);
    return redirect(to ?? backOf(fields["list"] ?? fields["back"]));
  };
  return route("POST", path, handler, { maxBytes, middleware: [requireOperator] });
}

/** Forms with a token, a few choices and a reason. */
export const OPS_FORM_BYTES = 16 * 1024;
/** Forms with long texts: URLs and headers of a webhook, a page of ticked runs. */
export const LONG_FORM_BYTES = 64 * 1024;
/** Forms with an input or a payload, which may be as long as a graph accepts it, percent-encoded. */
export const INPUT_FORM_BYTES = 1024 * 1024;
const MAX_NOTE_LENGTH = 500;

function asFlash(error: unknown): StepResult {
  if (error instanceof SvcError && error.status < 500) return { tone: "bad", text: error.message };
  throw error;
}
