/** Hostile JSON text: bodies of action calls and of operator endpoints. */
import fc, { type Arbitrary } from "fast-check";
import type { Target } from "./app.ts";

const jsonString = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"<fuzz>"',
    '"\\u2028"',
    '"__proto__"',
    '"\u{1f600}"',
    '"it\'s"',
  ),
);
const jsonKey = fc.oneof(fc.constantFrom('"a"', '"b"', '"length"', '"then"', '"toJSON"', '""', '"value"', '"title"'), {
  weight: 4,
  arbitrary: jsonString,
});
const jsonNumber = fc.oneof(
  fc.double().map((value) => (Number.isFinite(value) ? String(value) : "0")),
  fc.constantFrom("-0", "1e999", "-1e999", "1e-999", "9007199254740993", "1".repeat(400), "0.1e+5", "5e-324"),
);
const jsonBroken = fc.constantFrom(
  "NaN",
  "undefined",
  "01",
  "+1",
  ".5",
  "1.",
  "'a'",
  "tru",
  "[1,]",
  '{"a":1,}',
  "{a:1}",
  "[,]",
  '"\n"',
  '"\\x"',
  "/**/1",
  "\ufeff1",
  "[1 2]",
);
const badKey = fc.constantFrom('"__proto__"', '"constructor"', '"prototype"', '"\\u005f_proto__"');

/** The grammar of JSON as text, so that it includes what no value can express: duplicate keys, escapes, odd numbers, syntax errors. */
const jsonText: Arbitrary<string> = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(jsonString, jsonNumber, fc.constantFrom("true", "false", "null")),
    tie("array"),
    tie("object"),
    { weight: 1, arbitrary: fc.oneof({ weight: 30, arbitrary: fc.constant("null") }, jsonBroken) },
  ),
  array: fc.array(tie("value"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
  object: fc
    .array(fc.tuple(fc.oneof({ weight: 40, arbitrary: jsonKey }, badKey), tie("value")), { maxLength: 5 })
    .map((members) => `{${members.map(([key, value]) => `${key} : ${value}`).join(", ")}}`),
})).value;

const nest = fc
  .tuple(fc.oneof(fc.integer({ min: 25, max: 40 }), fc.constantFrom(1000, 20_000)), fc.boolean(), jsonText)
  .map(([levels, isObject, inner]) => {
    const [open, close] = isObject ? ['{"a":', "}"] : ["[", "]"];
    return open.repeat(levels) + inner + close.repeat(levels);
  });

/** Bodies of action calls: mostly `{"args":[…]}`, sometimes malformed. */
export const actionBody: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(jsonText, { maxLength: 4 }).map((args) => `{"args":[${args.join(",")}]}`) },
  fc.array(jsonNumber, { minLength: 60, maxLength: 70 }).map((args) => `{"args":[${args.join(",")}]}`),
  nest.map((value) => `{"args":[${value}]}`),
  fc.tuple(jsonText, jsonText).map(([first, second]) => `{"args":${first},"args":[${second}]}`),
  jsonText.map((value) => `{"args":${value}}`),
  jsonText,
);

const hostileUrl = fc.constantFrom(
  "http://[::1]/",
  "http://0x7f.1:1/",
  "http://127。0。0。1:1/",
  "https://a:b@c/",
  "http://10.0.0.1:99999/",
  "file:///",
  "//x",
  "http://%31%30.0.0.1/",
);

const objectOf = (keys: readonly string[]): Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...keys), jsonText), { maxLength: 4 })
    .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(",")}}`);

/** An operator endpoint and a body for it. No address leads outside of this machine. */
export function operatorCall({
  webhookId,
  graphId,
}: Target): Arbitrary<{ method: string; path: string; body: string }> {
  const webhook = fc.constantFrom(...Array<string>(4).fill(webhookId), "wh_x", "__proto__", "%F0%9F%98%80");
  const graph = fc.constantFrom(...Array<string>(4).fill(graphId), "g_x", "constructor");
  const one = fc.oneof(
    fc.constantFrom(["POST", "/_svc/graphs"], ["POST", "/_svc/webhooks"], ["POST", "/_svc/deliveries/msg_x/replay"]),
    webhook.map((id) => ["PATCH", `/_svc/webhooks/${id}`]),
    fc
      .tuple(webhook, fc.constantFrom("rotate-secret", "recover", "ping"))
      .map(([id, step]) => ["POST", `/_svc/webhooks/${id}/${step}`]),
    fc
      .tuple(graph, fc.constantFrom("pause", "resume", "cancel", "retry"))
      .map(([id, step]) => ["POST", `/_svc/graphs/${id}/${step}`]),
  );
  const body = fc.oneof(
    objectOf(["worker", "input", "idempotency_key", "delay_ms", "tags"]),
    objectOf(["url", "events", "workers", "headers", "enabled", "description", "secret"]),
    objectOf(["since_ms", "secret"]),
    jsonText.map((input) => `{"worker":"double","idempotency_key":"once","input":${input}}`),
    hostileUrl.map((url) => JSON.stringify({ url })),
    fc.constantFrom('{"since_ms":0}', '{"enabled":false}', '{"enabled":true,"events":[]}', "{}"),
    jsonText,
    nest,
  );
  return fc.tuple(one, body).map(([[method = "", path = ""], text]) => ({ method, path, body: text }));
}
