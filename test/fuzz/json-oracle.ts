/** What an action call's body must lead to, told from the contract alone and by other means than the code under test. Holds no test. */

const MAX_DEPTH = 32;
const MAX_ARGS = 64;
const MAX_NODES = 10_000;
const FORBIDDEN = ["__proto__", "constructor", "prototype"];

/** The arguments that an action gets for this body; undefined where the body must be refused. */
export function argsOf(body: string): unknown[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (depthOf(body) > MAX_DEPTH || nodesOf(value) > MAX_NODES || holdsForbiddenKey(value)) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { args } = value as { args?: unknown };
  return Array.isArray(args) && args.length <= MAX_ARGS ? args : undefined;
}

/** Deepest nesting, counted over the text: a repeated key hides its first value from whoever reads, not its depth. */
function depthOf(body: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of body.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gs)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++depth);
    else if (token === "]" || token === "}") depth--;
  }
  return deepest;
}

function holdsForbiddenKey(value: unknown): boolean {
  let isFound = false;
  JSON.stringify(value, (key, inner: unknown) => {
    if (FORBIDDEN.includes(key)) isFound = true;
    return inner;
  });
  return isFound;
}

function nodesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + nodesOf(inner), 1);
}
