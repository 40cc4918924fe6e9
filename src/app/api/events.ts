/** Sent events over HTTP: send one, list the stored ones. */
import { readJson } from "../../platform/http/body/read-body.ts";
import { json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import type { SendOptions, SentEventsQuery } from "../../graphs/engine/events/event-types.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { operatorOnly } from "../pipeline/operator-auth.ts";
import type { Endpoints, Services } from "../services.ts";
import { MAX_KEY_LENGTH, readObject, readText, readWhole } from "./graph-input.ts";

const KEYS = ["name", "data", "id"];
const MAX_NAME_LENGTH = 100;
/** Space for the other fields. */
const AROUND_DATA_BYTES = 64 * 1024;

export function eventEndpoints({ router, services }: Endpoints): void {
  const operator = [operatorOnly(services)];
  router.add("POST", PATHS.events, (ctx) => send(ctx, services), operator);
  router.add("GET", PATHS.events, (ctx) => list(ctx, services), operator);
}

/** 202: the event is stored, and its runs follow. 200: it was sent before. */
async function send(ctx: Context, { engine }: Services): Promise<Result> {
  const body = readObject(await readJson(ctx, engine.limits.inputBytes + AROUND_DATA_BYTES), KEYS);
  const name = readText(body["name"], "name", MAX_NAME_LENGTH);
  const options: SendOptions = body["id"] === undefined ? {} : { id: readText(body["id"], "id", MAX_KEY_LENGTH) };
  const { id, created } = await engine.send(name, body["data"] ?? null, options);
  return json({ id, name }, created ? 202 : 200);
}

async function list(ctx: Context, { engine }: Services): Promise<Result> {
  const query: SentEventsQuery = {};
  const [name, limit, cursor] = ["name", "limit", "cursor"].map((key) => ctx.query.get(key));
  if (typeof name === "string") query.name = name;
  if (typeof limit === "string") query.limit = readWhole(limit, "limit");
  if (typeof cursor === "string") query.cursor = cursor;
  const { events, nextCursor } = await engine.sentEvents(query);
  return json({ events, next_cursor: nextCursor ?? null });
}
