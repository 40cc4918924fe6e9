/** Attributes of runs as callers and workers give them: checks, and the changes of a worker. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { AttributeFilter, Attributes, AttributeValue } from "../../storage/contract/attributes.ts";
import type { GraphQuery } from "../../storage/contract/queries.ts";
import { FinalError } from "./final-error.ts";

/** New values by name; null removes an attribute. */
export type AttributeChanges = Readonly<Record<string, AttributeValue | null>>;

/** Each is a row of an index, which moves with the status of its run. */
const MAX_ATTRIBUTES = 32;
/** The value is part of an index, which PostgreSQL limits to about 2,700 bytes. */
const MAX_TEXT_LENGTH = 256;
export const ATTRIBUTE_NAME = "[A-Za-z][\\w.-]{0,63}";
const NAME = new RegExp(`^${ATTRIBUTE_NAME}$`);
const BOUNDS = ["gt", "gte", "lt", "lte"];
const MAX_SHOWN = 80;

interface Problem {
  /** Undefined: all of them. */
  name?: string;
  message: string;
}

/** Attributes of a new run. @throws SvcError `SVC_INVALID` that names the attribute */
export function readAttributes(given: unknown): Attributes | undefined {
  const problem = attributesProblem(given, valueProblem);
  if (problem) throw invalid(problem);
  const attributes = withoutUndefined(given as Attributes);
  if (Object.keys(attributes).length > MAX_ATTRIBUTES) throw invalid({ message: TOO_MANY });
  return orNone(attributes);
}

/** Arguments of `ctx.setAttributes`. @throws FinalError that names the node and the attribute */
export function readAttributeChanges(given: unknown, nodeId: string): AttributeChanges {
  const problem = attributesProblem(given, (value) => (value === null ? undefined : valueProblem(value)));
  if (problem) throw new FinalError(`ctx.setAttributes in "${nodeId}": ${textOf(problem)}`);
  return withoutUndefined(given as AttributeChanges);
}

/** @throws FinalError if the run would have too many attributes */
export function withChanges(known: Attributes = {}, changes: AttributeChanges, nodeId: string): Attributes | undefined {
  const all = Object.entries({ ...known, ...changes }).filter(
    (entry): entry is [string, AttributeValue] => entry[1] !== null,
  );
  if (all.length > MAX_ATTRIBUTES)
    throw new FinalError(
      `ctx.setAttributes in "${nodeId}": the run would have ${all.length} attributes; the limit is ${MAX_ATTRIBUTES}. Remove one with null`,
    );
  return orNone(Object.fromEntries(all));
}

/** The conditions of a query. @throws SvcError `SVC_INVALID` that names the attribute */
export function readAttributeFilter(given: unknown): AttributeFilter {
  const problem = attributesProblem(given, (value) =>
    typeof value === "object" && value !== null ? rangeProblem(value) : valueProblem(value),
  );
  if (problem) throw invalid(problem);
  return withoutUndefined(given as AttributeFilter);
}

/** The query with its conditions on attributes checked. @throws SvcError `SVC_INVALID` */
export function checkedQuery<Query extends Pick<GraphQuery, "attributes">>(query: Query): Query {
  return query.attributes === undefined ? query : { ...query, attributes: readAttributeFilter(query.attributes) };
}

function attributesProblem(given: unknown, problemOf: (value: unknown) => string | undefined): Problem | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { message: 'must be an object with values by name, such as { plan: "pro" }' };
  for (const [name, value] of Object.entries(given)) {
    if (!NAME.test(name))
      return {
        name,
        message: "is not a valid name; use 1 to 64 letters, digits or any of _ . - and begin with a letter",
      };
    const message = value === undefined ? undefined : problemOf(value);
    if (message !== undefined) return { name, message };
  }
  return undefined;
}

const KINDS = "must be a text, a finite number or a boolean";
const TOO_MANY = `must be at most ${MAX_ATTRIBUTES}`;

function valueProblem(value: unknown): string | undefined {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return undefined;
  if (typeof value !== "string") return KINDS;
  if (value.length > MAX_TEXT_LENGTH)
    return `has ${value.length} characters; the limit of a text is ${MAX_TEXT_LENGTH}`;
  return /[\p{Cc}\p{Cs}]/u.test(value) ? "must be a text without control characters" : undefined;
}

function rangeProblem(range: object): string | undefined {
  const bounds = Object.entries(range).filter(([, bound]) => bound !== undefined);
  const isRange = bounds.length > 0 && bounds.every(([name, bound]) => BOUNDS.includes(name) && Number.isFinite(bound));
  return isRange ? undefined : `${KINDS}, or bounds of a number: an object with ${BOUNDS.join(", ")}`;
}

function withoutUndefined<Value>(given: Readonly<Record<string, Value>> = {}): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function orNone(attributes: Attributes): Attributes | undefined {
  return Object.keys(attributes).length === 0 ? undefined : attributes;
}

function textOf({ name, message }: Problem): string {
  return `"${name === undefined ? "attributes" : name.slice(0, MAX_SHOWN)}" ${message}`;
}

function invalid(problem: Problem): SvcError {
  const { name, message } = problem;
  const path = name === undefined ? ["attributes"] : ["attributes", name];
  return new SvcError("SVC_INVALID", textOf(problem), { issues: [{ path, message }] });
}
