/** A trace collector for tests: accepts OTLP over HTTP as JSON, strictly, and keeps the spans. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  links?: { traceId: string; spanId: string }[];
  status?: { code: number; message: string };
  durationNs: bigint;
}

export interface Collector {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: CollectedSpan[];
  /** The headers of each request. */
  requests: IncomingMessage["headers"][];
  /** The errors in received requests. */
  complaints: unknown[];
  /** The statuses of the next responses; 200 when the list is empty. */
  answers: number[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const collected = { spans: [] as CollectedSpan[], requests: [] as IncomingMessage["headers"][] };
  const [complaints, answers]: [unknown[], number[]] = [[], []];
  const server = createServer((message, reply) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      collected.requests.push(message.headers);
      const status = answers.shift() ?? 200;
      try {
        assert.equal(message.url, "/base/v1/traces");
        assert.equal(message.method, "POST");
        assert.equal(message.headers["content-type"], "application/json");
        const spans = readSpans(JSON.parse(Buffer.concat(chunks).toString("utf8")));
        if (status === 200) collected.spans.push(...spans);
      } catch (error) {
        complaints.push(error);
      }
      reply.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    ...collected,
    complaints,
    answers,
    close: () => new Promise((done) => server.close(() => done()).closeAllConnections()),
  };
}

/** Exactly what the proto3 JSON mapping of OTLP allows. */
function readSpans(body: unknown): CollectedSpan[] {
  const { resourceSpans } = only(body, ["resourceSpans"]);
  return list(resourceSpans).flatMap((one) => {
    const { resource, scopeSpans } = only(one, ["resource", "scopeSpans"]);
    const attributes = readAttributes(only(resource, ["attributes"])["attributes"]);
    assert.equal(typeof attributes["service.name"], "string");
    return list(scopeSpans).flatMap((inner) => {
      const { scope, spans } = only(inner, ["scope", "spans"]);
      assert.equal(only(scope, ["name", "version"])["name"], "svc");
      return list(spans).map(readSpan);
    });
  });
}

const SPAN_KEYS = [
  "traceId",
  "spanId",
  "parentSpanId",
  "traceState",
  "name",
  "kind",
  "startTimeUnixNano",
  "endTimeUnixNano",
  "attributes",
  "links",
  "status",
];

function readSpan(raw: unknown): CollectedSpan {
  const span = only(raw, SPAN_KEYS);
  assert.match(String(span["traceId"]), /^[0-9a-f]{32}$/);
  for (const key of ["spanId", "parentSpanId"]) if (key in span) assert.match(String(span[key]), /^[0-9a-f]{16}$/);
  assert.ok(typeof span["name"] === "string" && span["name"] !== "");
  assert.ok([1, 2, 3].includes(span["kind"] as number));
  const [start, end] = [span["startTimeUnixNano"], span["endTimeUnixNano"]];
  assert.ok(typeof start === "string" && /^\d{19}$/.test(start), "a time is a decimal text of nanoseconds");
  assert.ok(typeof end === "string" && /^\d{19}$/.test(end), "a time is a decimal text of nanoseconds");
  assert.ok(BigInt(start) <= BigInt(end), "a span ends after it starts");
  if ("links" in span)
    for (const link of list(span["links"])) {
      const { traceId, spanId } = only(link, ["traceId", "spanId"]);
      assert.match(`${String(traceId)} ${String(spanId)}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
    }
  if ("status" in span) only(span["status"], ["code", "message"]);
  return {
    ...(span as unknown as CollectedSpan),
    attributes: readAttributes(span["attributes"]),
    durationNs: BigInt(end) - BigInt(start),
  };
}

function readAttributes(raw: unknown): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const one of list(raw)) {
    const { key, value } = only(one, ["key", "value"]);
    assert.ok(typeof key === "string" && !(key in read), `the attribute ${String(key)} is there twice`);
    const entries = Object.entries(value as object);
    assert.equal(entries.length, 1);
    const [[kind, content]] = entries as [[string, unknown]];
    if (kind === "stringValue") assert.equal(typeof content, "string");
    else if (kind === "boolValue") assert.equal(typeof content, "boolean");
    else if (kind === "doubleValue") assert.equal(typeof content, "number");
    else assert.ok(kind === "intValue" && /^-?\d+$/.test(content as string), `${kind} ${String(content)}`);
    read[key] = content;
  }
  return read;
}

function only(value: unknown, keys: readonly string[]): Record<string, unknown> {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value));
  for (const key of Object.keys(value)) assert.ok(keys.includes(key), `an unknown key: ${key}`);
  return value as Record<string, unknown>;
}

function list(value: unknown): unknown[] {
  assert.ok(Array.isArray(value));
  return value;
}
