/** Spans, and their OTLP 1 JSON (https://opentelemetry.io/docs/specs/otlp/): ids in hex, 64-bit numbers as text. */
import { VERSION } from "../../../platform/package/manifest.ts";

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanLink {
  traceId: string;
  spanId: string;
}

/** A finished operation. */
export interface Span {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  state: string | undefined;
  name: string;
  kind: "internal" | "server" | "client";
  /** Unix milliseconds, with a fraction. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** Spans of other traces that belong to it. */
  links?: readonly SpanLink[];
  /** Error message; undefined on success. */
  error: string | undefined;
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

/** The body of an export request. */
export function otlpBody(spans: readonly Span[], serviceName: string): object {
  const attributes = { "service.name": serviceName, "telemetry.sdk.language": "nodejs" };
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues({ ...attributes, "process.pid": process.pid }) },
        scopeSpans: [{ scope: { name: "svc", version: VERSION }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: Span): object {
  const { traceId, spanId, parentId, state, name, kind, startMs, endMs, attributes, links, error } = span;
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    ...(state === undefined ? {} : { traceState: state }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    ...(links && { links: links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    ...(error === undefined ? {} : { status: { code: STATUS_ERROR, message: error } }),
  };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function keyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
