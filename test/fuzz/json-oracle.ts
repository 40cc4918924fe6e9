/** Computes the expected arguments of an action call from the contract alone, independently of the code under test. */

const MAX_DEPTH = 32;
const MAX_ARGS = 64;
const MAX_NODES = 10_000;
const FORBIDDEN = ["__proto__", "constructor", "prototype"];

/** The arguments that an action receives for this body; undefined if the body must be rejected. */
export function argsOf(body: string): unknown[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (depthOf(value) > MAX_DEPTH || nodesOf(value) > MAX_NODES || holdsForbiddenKey(value)) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { args } = value as { args?: unknown };
  return Array.isArray(args) && args.length <= MAX_ARGS ? args : undefined;
}

/** Nesting depth of arrays and objects. Of duplicate keys only the last value counts, as in any JSON parser. */
function depthOf(value: unknown): number {
  let depth = 0;
  for (let level = containers([value]); level.length > 0; level = containers(level.flatMap(Object.values))) depth++;
  return depth;
}

function containers(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === "object" && value !== null);
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
