/** Metrics in the Prometheus text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
import { SvcError } from "../../../platform/shared/errors.ts";

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Suffix of a histogram's name. */
  suffix?: "_bucket" | "_sum" | "_count";
  labels?: Labels;
  value: number;
}

/** All samples of one name. */
export interface Family {
  /** `shop_orders_total`: letters, digits, `_` and `:`; with the unit, and `_total` for counters. */
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: readonly Sample[];
}

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/** @throws SvcError `SVC_DEFINITION` for an invalid or repeated name. */
export function exposition(families: readonly Family[]): string {
  const seen = new Set<string>();
  let text = "";
  for (const family of families) {
    const { name, type, help, samples } = family;
    if (!METRIC_NAME.test(name)) throw refused(`"${name}" is not a valid metric name`);
    if (seen.has(name)) throw refused(`The metric ${name} is defined twice; rename one of them`);
    seen.add(name);
    if (samples.length === 0) continue;
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = "", labels, value } of samples)
      text += `${name}${suffix}${labelText(name, labels)} ${valueText(value)}\n`;
  }
  return text;
}

function labelText(name: string, labels: Labels | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([label, value]) => {
    if (!LABEL_NAME.test(label)) throw refused(`"${label}" is not a valid label name (metric ${name})`);
    return `${label}="${escapeValue(value)}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function valueText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

function refused(message: string): SvcError {
  return new SvcError("SVC_DEFINITION", `${message}. Allowed are letters, digits and underscores, each name once.`);
}
