/**
 * Tokens that let a page read or control one run without the operator's key: HMAC over id, scope and expiry.
 * `<scope>.<expiry in base36 seconds>.<signature>`. Contract section 4.
 */
import { isSigned, sign, type Secrets } from "./secrets.ts";

export type GraphScope = "read" | "control";

const PURPOSE = "graph-token";

/** @param expiresMs Unix milliseconds after which the token is invalid. */
export function createGraphToken(secrets: Secrets, graphId: string, scope: GraphScope, expiresMs: number): string {
  const head = `${scope}.${Math.ceil(expiresMs / 1000).toString(36)}`;
  return `${head}.${sign(secrets, PURPOSE, `${graphId}.${head}`)}`;
}

/** The scope that a token allows for this run now; `control` includes `read`. Undefined if it is invalid. */
export function graphTokenScope(
  secrets: Secrets,
  graphId: string,
  rawToken: string | undefined,
  nowMs: number,
): GraphScope | undefined {
  const match = /^(read|control)\.([0-9a-z]{1,11})\.([\w-]{43})$/.exec(rawToken ?? "");
  if (!match) return undefined;
  const [, scope, expiry, signature] = match as unknown as [string, GraphScope, string, string];
  if (!isSigned(secrets, PURPOSE, `${graphId}.${scope}.${expiry}`, signature)) return undefined;
  return Number.parseInt(expiry, 36) * 1000 > nowMs ? scope : undefined;
}
