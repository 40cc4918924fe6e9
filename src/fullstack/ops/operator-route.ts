/** A step that an operator takes from a screen: who may, in whose name, and what is told on the screen it leads back to. */
import {
  forbidden,
  readForm,
  redirect,
  route,
  SvcError,
  unauthorized,
  type App,
  type RouteDefinition,
} from "../../index.ts";
import type { Steering } from "../../graph.ts";
import { backOf } from "./access.ts";
import type { Screens } from "./look.ts";
import { tell, type Told } from "./told.ts";

export interface Step {
  readonly app: App;
  readonly params: Readonly<Record<string, string>>;
  /** Of the form. */
  readonly fields: Readonly<Record<string, string>>;
  /** Who does it, why and from where: for the record. */
  readonly steering: Steering;
  readonly nowMs: number;
}

/** What it came to; where it leads elsewhere than back, `to`. An empty text: that is told by where it leads. */
export type StepResult = Told & { to?: string };

/**
 * @param path below that of the screens. The CSRF token is checked by the route itself.
 * @param run what it throws of `SvcError` below 500 is told on the screen; the rest is a fault of ours.
 */
export function operatorRoute(
  { app, door }: Screens,
  path: string,
  run: (step: Step) => Promise<StepResult>,
): RouteDefinition {
  return route("POST", path, async (ctx) => {
    const access = await door.access(ctx);
    if ("denial" in access) return unauthorized("Sign in to the operators' screens first");
    const { role, name } = access.visitor;
    if (role !== "operator") return forbidden("You may look, not change: the operator role is needed");
    const { fields } = await readForm(ctx, MAX_FORM_BYTES);
    const note = fields["note"]?.trim().slice(0, MAX_NOTE_LENGTH);
    const steering = { by: name, address: ctx.clientIp, ...(note && { note }) };
    const step = { app: app(), params: ctx.params, fields, steering, nowMs: app().operations.nowMs() };
    const { to, ...told } = await run(step).catch(asTold);
    if (told.text !== "") tell(ctx, app(), told);
    return redirect(to ?? backOf(fields["list"] ?? fields["back"]));
  });
}

/** An input that was edited may be long. */
const MAX_FORM_BYTES = 1024 * 1024;
const MAX_NOTE_LENGTH = 500;

function asTold(error: unknown): StepResult {
  if (error instanceof SvcError && error.status < 500) return { tone: "bad", text: error.message };
  throw error;
}
