/** Schedules over HTTP: create, read, pause, trigger, delete. */
import { empty, json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import type { ScheduleDefinition, ScheduleView } from "../../graphs/schedules/schedule-types.ts";
import type { Json } from "../../platform/shared/json.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { operatorOnly } from "../pipeline/operator-auth.ts";
import { notFound } from "../pipeline/outcome.ts";
import type { Endpoints, Services } from "../services.ts";
import { invalid, readAuditContext, readMs, readText, readTime } from "./graph-input.ts";

const KEYS = ["worker", "cron", "time_zone", "input", "catch_up", "overlap", "jitter_ms"];
const MAX_TEXT_LENGTH = 255;
const MAX_BYTES = 1024 * 1024;

export function scheduleEndpoints({ router, services }: Endpoints): void {
  const { engine } = services;
  const operator = [operatorOnly(services)];
  const one = `${PATHS.schedules}/:name`;
  router.add("GET", PATHS.schedules, async () => json({ schedules: await engine.schedule.list() }), operator);
  router.add("GET", one, async (ctx) => json(await known(ctx, services)), operator);
  router.add("PUT", one, (ctx) => save(ctx, services), operator);
  router.add("DELETE", one, (ctx) => remove(ctx, services), operator);
  for (const step of ["pause", "resume"] as const)
    router.add("POST", `${one}/${step}`, (ctx) => steer(ctx, services, step), operator);
  router.add("POST", `${one}/backfill`, (ctx) => backfill(ctx, services), operator);
  router.add("POST", `${one}/trigger`, (ctx) => trigger(ctx, services), operator);
}

async function known(ctx: Context, { engine }: Services): Promise<ScheduleView> {
  return (await engine.schedule.get(nameOf(ctx))) ?? notFound(`There is no schedule "${nameOf(ctx).slice(0, 80)}"`);
}

function nameOf(ctx: Context): string {
  return ctx.params["name"] ?? "";
}

async function save(ctx: Context, services: Services): Promise<Result> {
  const { auditContext, body } = await readAuditContext(ctx, services, KEYS, MAX_BYTES);
  const isNew = (await services.engine.schedule.get(nameOf(ctx))) === undefined;
  const view = await services.engine.schedule.upsert(readDefinition(nameOf(ctx), body), auditContext);
  return json(view, isNew ? 201 : 200);
}

function readDefinition(name: string, body: Record<string, Json | undefined>): ScheduleDefinition {
  const { worker, cron, time_zone: timeZone, input, catch_up: catchUp, overlap, jitter_ms: jitterMs } = body;
  const definition: ScheduleDefinition = {
    name,
    worker: readText(worker, "worker", MAX_TEXT_LENGTH),
    cron: readText(cron, "cron", MAX_TEXT_LENGTH),
  };
  if (timeZone !== undefined) definition.timeZone = readText(timeZone, "time_zone", MAX_TEXT_LENGTH);
  if (input !== undefined) definition.input = input;
  if (catchUp !== undefined) definition.catchUp = oneOf(catchUp, "catch_up", ["none", "last", "all"]);
  if (overlap !== undefined) definition.overlap = oneOf(overlap, "overlap", ["skip", "allow", "buffer", "cancel"]);
  if (jitterMs !== undefined) definition.jitter = readMs(jitterMs, "jitter_ms");
  return definition;
}

function oneOf<Known extends string>(value: Json, key: string, allowed: readonly Known[]): Known {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalid(key, `must be one of ${allowed.join(", ")}`);
}

async function remove(ctx: Context, services: Services): Promise<Result> {
  const { auditContext } = await readAuditContext(ctx, services);
  await services.engine.schedule.remove(nameOf(ctx), auditContext);
  return empty();
}

async function steer(ctx: Context, services: Services, step: "pause" | "resume"): Promise<Result> {
  const { auditContext } = await readAuditContext(ctx, services);
  return json(await services.engine.schedule[step](nameOf(ctx), auditContext));
}

async function trigger(ctx: Context, services: Services): Promise<Result> {
  const { auditContext, body } = await readAuditContext(ctx, services, ["idempotency_key"]);
  const { idempotency_key: key } = body;
  const options = key === undefined ? {} : { idempotencyKey: readText(key, "idempotency_key", MAX_TEXT_LENGTH / 2) };
  return json(await services.engine.schedule.trigger(nameOf(ctx), { ...auditContext, ...options }), 202);
}

async function backfill(ctx: Context, services: Services): Promise<Result> {
  const { auditContext, body } = await readAuditContext(ctx, services, ["from_ms", "until_ms"]);
  const timeOf = (key: "from_ms" | "until_ms"): number => readTime(body[key] ?? null, key);
  const period = { fromMs: timeOf("from_ms"), untilMs: timeOf("until_ms") };
  return json(await services.engine.schedule.backfill(nameOf(ctx), period, auditContext), 202);
}
