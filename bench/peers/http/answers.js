// What svc answered, for frameworks that send the same: headers as objects, texts with a nonce of their own.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

const captures = JSON.parse(readFileSync(process.env.BENCH_CAPTURES, "utf8"));

const objectOf = (flat) =>
  Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2], flat[at * 2 + 1]]));
const without = (headers, ...names) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

/** 16 random bytes for one page. */
export const createNonce = () => randomBytes(16).toString("base64");

const [one, two, three] = captures.page.body.split("{nonce}");
export const pageOf = (nonce) => one + nonce + two + nonce + three;

const pageHeaders = objectOf(captures.page.headers);
const policy = pageHeaders["content-security-policy"].split("{nonce}");
/** All but the policy. */
export const pageHead = without(pageHeaders, "content-security-policy");
export const policyOf = (nonce) => policy.join(nonce);

export const streamHead = objectOf(captures.stream.headers);
const { body } = captures.stream;
export async function* parts() {
  yield body.slice(0, 3500);
  yield body.slice(3500, 7000);
  yield body.slice(7000);
}

const encoder = new TextEncoder();

/** The parts as frameworks on web standards send them. */
export function webStream() {
  const left = parts();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await left.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

export const assetHead = objectOf(captures.asset.headers);
export const asset = Buffer.from(captures.asset.body, "latin1");
export const unchangedHead = objectOf(captures.unchanged.headers);
export const etag = unchangedHead.etag;

export const actionHead = without(objectOf(captures.action.headers), "content-type");
