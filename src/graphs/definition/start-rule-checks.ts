/** Validates how events start the runs of a graph. */
import { checkCount, checkFunction, checkKeys, checkTime, refused, requireObject, shown } from "./definition-checks.ts";
import { START_RULES, type StartRules } from "./start-rule-types.ts";

const KEYS: Readonly<Record<keyof StartRules, readonly string[]>> = {
  debounce: ["period", "timeout", "key"],
  throttle: ["limit", "period", "burst", "key"],
  rateLimit: ["limit", "period", "key"],
  batchEvents: ["maxSize", "timeout", "key"],
};
const REQUIRED: Readonly<Record<keyof StartRules, readonly string[]>> = {
  debounce: ["period"],
  throttle: ["limit", "period"],
  rateLimit: ["limit", "period"],
  batchEvents: ["maxSize", "timeout"],
};

/** @throws SvcError `SVC_DEFINITION` */
export function checkStartRules(name: string, options: StartRules & { on?: unknown }): void {
  const what = `The graph "${name}"`;
  const given = START_RULES.filter((rule) => options[rule] !== undefined);
  if (given.length > 1) throw refused(`${what} has ${given.join(" and ")}; use one of them`);
  for (const rule of given) {
    if (options.on === undefined && rule !== "throttle")
      throw refused(`${what} has ${rule} and no event; name one in "on"`);
    checkRule(what, rule, options[rule]);
  }
}

function checkRule(what: string, rule: keyof StartRules, value: unknown): void {
  requireObject(what, rule, value);
  const fields = value as Record<string, never>;
  checkKeys(`${what}, in ${rule},`, fields, KEYS[rule]);
  for (const field of REQUIRED[rule]) if (fields[field] === undefined) throw refused(`${what} lacks ${rule}.${field}`);
  for (const field of ["limit", "burst", "maxSize"]) checkCount(what, `${rule}.${field}`, fields[field]);
  for (const field of ["period", "timeout"])
    if (fields[field] !== undefined && checkTime(what, `${rule}.${field}`, fields[field]) <= 0)
      throw refused(`${what} has ${rule}.${field} ${shown(fields[field])}; use a time above 0, such as "20s"`);
  checkFunction(what, `${rule}.key`, fields["key"]);
}
