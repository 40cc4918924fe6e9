/** Runs over HTTP: start, list, read, follow, control (docs/reference/http.md, section 4). */
import { readJson } from "../../platform/http/body/read-body.ts";
import { encodedEventStream } from "../../platform/http/response/event-stream.ts";
import { json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import type { NodeDetail, Snapshot, SnapshotOptions } from "../../graphs/machine/view-types.ts";
import { createGraphToken, graphTokenScope } from "../../platform/security/graph-token.ts";
import type { GraphScope } from "../../platform/security/graph-token.ts";
import type { Origin } from "../../storage/contract/graph-rows.ts";
import { CLI_CLIENT, HEADERS, PATHS } from "../../platform/shared/wire.ts";
import { actorOf, graphAccess, operatorOnly } from "../pipeline/operator-auth.ts";
import { notFound } from "../pipeline/outcome.ts";
import { artifactEndpoints } from "./artifacts.ts";
import type { Endpoints, Services } from "../services.ts";
import {
  MAX_KEY_LENGTH,
  readGraphQuery,
  readLastSeq,
  readMs,
  readStart,
  readAuditContext,
  readText,
  readWhole,
} from "./graph-input.ts";
import { encodedEvents, eventView } from "./run-events.ts";
import { idOf } from "./webhooks.ts";

/** Space for the other fields: worker name, key, tags. */
const AROUND_INPUT_BYTES = 64 * 1024;
/** Long enough to follow a run over a night, short enough that a leaked link expires. */
const TOKEN_LIFE_MS = 24 * 3_600_000;
/** Names have at most 64 characters, followed by the number of an item. */
const MAX_NODE_LENGTH = 100;

/** Maximum number of nodes in one snapshot: 180 KB. */
const MAX_NODES = 1000;
/** Maximum number of events in one response. */
const MAX_EVENTS = 1000;

const COMMANDS = ["resume", "cancel", "terminate"] as const;
const FORK_KEYS = ["from", "input"];
const UPDATE_KEYS = ["name", "value", "idempotency_key", "timeout_ms"];
const SIGNAL_KEYS = ["name", "payload", "idempotency_key"];
/** A signal is a decision; larger data is an input. */
const MAX_SIGNAL_BYTES = 1024 * 1024;

export function graphEndpoints({ router, services }: Endpoints): void {
  const operator = [operatorOnly(services)];
  const reader = [graphAccess(services, "read")];
  const controller = [graphAccess(services, "control")];
  const one = `${PATHS.graphs}/:id`;
  router.add("POST", PATHS.graphs, (ctx) => start(ctx, services), operator);
  router.add("GET", PATHS.graphs, (ctx) => list(ctx, services), operator);
  router.add("GET", one, (ctx) => snapshot(ctx, services), reader);
  router.add("GET", `${one}/events`, (ctx) => events(ctx, services), reader);
  artifactEndpoints({ router, services });
  router.add("GET", `${one}/past`, (ctx) => past(ctx, services), reader);
  router.add("GET", `${one}/nodes/**:node`, (ctx) => node(ctx, services), reader);
  router.add("GET", `${one}/history`, (ctx) => history(ctx, services), reader);
  for (const step of COMMANDS) router.add("POST", `${one}/${step}`, (ctx) => steer(ctx, services, step), controller);
  router.add("POST", `${one}/pause`, (ctx) => pause(ctx, services), controller);
  router.add("POST", `${one}/retry`, (ctx) => retry(ctx, services), controller);
  router.add("POST", `${one}/fork`, (ctx) => fork(ctx, services), controller);
  router.add("POST", `${one}/signal`, (ctx) => signal(ctx, services), controller);
  router.add("POST", `${one}/update`, (ctx) => update(ctx, services), controller);
}

function startBytes({ engine }: Services): number {
  return engine.limits.inputBytes + AROUND_INPUT_BYTES;
}

async function steer(ctx: Context, services: Services, step: (typeof COMMANDS)[number]): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const { auditContext } = await readAuditContext(ctx, services);
  return json(await services.engine[step](graph_id, auditContext), 202);
}

async function pause(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const { auditContext, body } = await readAuditContext(ctx, services, ["grace_ms"]);
  const grace = body["grace_ms"] === undefined ? {} : { grace: readMs(body["grace_ms"], "grace_ms") };
  return json(await services.engine.pause(graph_id, { ...auditContext, ...grace }), 202);
}

async function retry(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const { auditContext, body } = await readAuditContext(ctx, services, ["from"]);
  const from = body["from"] === undefined ? {} : { from: readText(body["from"], "from", MAX_NODE_LENGTH) };
  return json(await services.engine.retry(graph_id, { ...auditContext, ...from }), 202);
}

/** A control token of a run also allows forks; the new run needs a token of its own. */
async function fork(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const { auditContext, body } = await readAuditContext(ctx, services, FORK_KEYS, startBytes(services));
  const from = readText(body["from"], "from", MAX_NODE_LENGTH);
  const { input } = body;
  const forked = await services.engine.fork(graph_id, { ...auditContext, from, ...(input !== undefined && { input }) });
  return json(forked, 202);
}

async function signal(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const { auditContext, body } = await readAuditContext(ctx, services, SIGNAL_KEYS, MAX_SIGNAL_BYTES);
  const name = readText(body["name"], "name", MAX_NODE_LENGTH);
  const { idempotency_key: key, payload } = body;
  const once = key === undefined ? {} : { idempotencyKey: readText(key, "idempotency_key", MAX_KEY_LENGTH) };
  return json(await services.engine.signal(graph_id, name, payload, { ...auditContext, ...once }), 202);
}

/** Waits for the worker's answer. The request stays if the caller gives up. */
async function update(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const { auditContext, body } = await readAuditContext(ctx, services, UPDATE_KEYS, MAX_SIGNAL_BYTES);
  const name = readText(body["name"], "name", MAX_NODE_LENGTH);
  const { idempotency_key: key, timeout_ms: timeoutMs, value = null } = body;
  const answer = await services.engine.update(graph_id, name, value, {
    ...auditContext,
    signal: ctx.signal,
    ...(key !== undefined && { idempotencyKey: readText(key, "idempotency_key", MAX_KEY_LENGTH) }),
    ...(timeoutMs !== undefined && { timeout: readMs(timeoutMs, "timeout_ms") }),
  });
  return json({ answer });
}

/** Results of its nodes before they ran again. */
async function past(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const nodes = await services.engine.pastNodes(graph_id);
  return json({ nodes: nodes.map((one) => nodeFor(ctx, services, one)) });
}

async function node(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const id = ctx.params["node"] ?? "";
  const found = (await services.engine.node(graph_id, id)) ?? notFound(`The graph has no node "${id.slice(0, 80)}"`);
  return json(nodeFor(ctx, services, found));
}

/** The origin of an error is for operators: a token may be in any page. */
function nodeFor(ctx: Context, services: Services, node: NodeDetail): NodeDetail {
  return actorOf(ctx, services) === "operator" ? node : { ...node, origin: null };
}

/** Past events, without waiting for more. */
async function history(ctx: Context, services: Services): Promise<Result> {
  const { graph_id } = await known(ctx, services);
  const after = readWhole(ctx.query.get("after") ?? "0", "after");
  const events = await services.engine.events(graph_id, { after, limit: MAX_EVENTS });
  const last = events.length === MAX_EVENTS ? events.at(-1) : undefined;
  return json({ events: events.map(eventView), next_after: last?.seq ?? null });
}

/** A token by which a page may follow or control this run for a day. */
export function graphToken(services: Services, graphId: string, scope: GraphScope): string {
  return createGraphToken(services.secrets, graphId, scope, services.clock.now() + TOKEN_LIFE_MS);
}

/** Whether a token gives access to a run now. */
export function mayRead({ secrets, clock }: Services, graphId: string, token: string | undefined): boolean {
  return graphTokenScope(secrets, graphId, token, clock.now()) !== undefined;
}

async function start(ctx: Context, services: Services): Promise<Result> {
  const { worker, input, options } = readStart(await readJson(ctx, startBytes(services)));
  const origin: Origin = { kind: ctx.header(HEADERS.client) === CLI_CLIENT ? "cli" : "api" };
  const starter = { by: actorOf(ctx, services), address: ctx.clientIp, origin };
  const { snapshot, created } = await services.engine.start(worker, input, { ...options, ...starter });
  const { graph_id, status } = snapshot;
  const reply = { graph_id, worker: snapshot.worker, status, token: graphToken(services, graph_id, "read") };
  return json(reply, created ? 202 : 200);
}

async function list(ctx: Context, { engine }: Services): Promise<Result> {
  const { items, total, nextCursor } = await engine.list(readGraphQuery(ctx.query));
  return json({ graphs: items, total, next_cursor: nextCursor ?? null });
}

async function snapshot(ctx: Context, services: Services): Promise<Result> {
  const limit = readWhole(ctx.query.get("limit") ?? String(MAX_NODES), "limit");
  const after = ctx.query.get("after");
  return json(
    await known(ctx, services, { limit: Math.min(Math.max(limit, 1), MAX_NODES), ...(after !== null && { after }) }),
  );
}

/** @param slice default: without nodes and children, which a command does not need. */
async function known(ctx: Context, { engine }: Services, slice: SnapshotOptions = { limit: 0 }): Promise<Snapshot> {
  return (await engine.snapshot(idOf(ctx), slice)) ?? notFound(`There is no graph "${idOf(ctx).slice(0, 80)}"`);
}

async function events(ctx: Context, services: Services): Promise<Result> {
  const { graph_id: id } = await known(ctx, services);
  const { signal } = ctx;
  const source = services.engine.subscribe(id, readLastSeq(ctx), signal);
  return encodedEventStream(encodedEvents(source.batches(), ctx.query.get("node")), {
    clock: services.clock,
    signal,
  });
}
