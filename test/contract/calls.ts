/** Helpers of several sections: call as the operator, wait for a condition, receive webhooks. Contains no tests. */
import assert from "node:assert/strict";
import { createReceiver, type Received, type Receiver } from "svckit/testing";
import { OPERATOR } from "./app.ts";
import type { Site } from "./both-adapters.ts";

/** The receivers of tests listen on loopback. */
export const LOOPBACK = { SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" };
export const SECRET = "s3cret-for-tests";
/** The configuration that most webhook tests need. */
export const SIGNED = { ...LOOPBACK, SVC_WEBHOOK_SECRET: SECRET };

export interface Called {
  status: number;
  headers: Headers;
  /** Empty if the response has no body. */
  reply: Record<string, unknown>;
}

/** Sends a request with the operator's key, and with a JSON body if one is given. */
export async function operate(
  site: Pick<Site, "client">,
  method: string,
  path: string,
  body?: unknown,
): Promise<Called> {
  const headers = { ...OPERATOR, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await site.client.request(path, init);
  const text = await response.text();
  const reply = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, headers: response.headers, reply };
}

/** A string field of a reply. */
export function textOf(reply: Record<string, unknown>, key: string): string {
  const value = reply[key];
  assert.equal(typeof value, "string", `${key} of ${JSON.stringify(reply)}`);
  return value as string;
}

const PATIENCE_MS = 30_000;

/** Waits until a condition holds; in real time, because sockets are real. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < endMs, `waited ${PATIENCE_MS} ms for: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface Registered extends Receiver {
  /** The id of the registration. */
  readonly id: string;
}

/** Runs `use` with a registered receiver, then removes the registration and closes the receiver. */
export async function withReceiver(
  site: Pick<Site, "client">,
  use: (receiver: Registered) => Promise<void>,
  registration: Record<string, unknown> = {},
): Promise<void> {
  const receiver = await createReceiver();
  try {
    const { status, reply } = await operate(site, "POST", "/_svc/webhooks", { url: receiver.url, ...registration });
    assert.equal(status, 201);
    const id = textOf(reply, "id");
    await use(Object.assign(receiver, { id }));
    await operate(site, "DELETE", `/_svc/webhooks/${id}`);
  } finally {
    await receiver.close();
  }
}

/** The payload of a delivery. */
export function payloadOf(delivery: Received | undefined): Record<string, unknown> {
  assert.ok(delivery);
  return JSON.parse(delivery.body) as Record<string, unknown>;
}

/** Waits for deliveries longer than the default, because the machine may be busy. */
export const received = async (receiver: Receiver, count: number): Promise<readonly Received[]> =>
  receiver.received(count, PATIENCE_MS);
