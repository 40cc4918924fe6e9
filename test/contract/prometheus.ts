/**
 * A strict parser of the Prometheus exposition format 0.0.4, like `promtool check metrics`: it rejects input that a lenient
 * scraper would accept. https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import assert from "node:assert/strict";

export interface Series {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

interface Family {
  type: string;
  series: Series[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?!$)|$)/;
const NUMBER = /^(?:NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** @returns all series, in order. @throws AssertionError with the line that is invalid */
export function readExposition(text: string): Series[] {
  assert.ok(text.endsWith("\n"), "the last line has no end");
  const families = new Map<string, Family>();
  const lines = text.slice(0, -1).split("\n");
  let current: { name: string; family: Family } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.startsWith("#")) {
      current = readHead(line, lines[++at] ?? "", families);
      continue;
    }
    assert.ok(current, `a sample before any TYPE: ${line}`);
    current.family.series.push(readSample(line, current.name, current.family.type));
  }
  for (const [name, family] of families) checkFamily(name, family);
  return [...families.values()].flatMap(({ series }) => series);
}

function readHead(help: string, type: string, families: Map<string, Family>): { name: string; family: Family } {
  const [, name = ""] = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (?:[^\\]|\\[\\n])+$/.exec(help) ?? [];
  assert.ok(name, `not a HELP line: ${help}`);
  const [, typed, kind = ""] = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(type) ?? [];
  assert.equal(typed, name, `no TYPE behind the HELP of ${name}: ${type}`);
  assert.ok(!families.has(name), `${name} begins twice`);
  const family: Family = { type: kind, series: [] };
  families.set(name, family);
  return { name, family };
}

function readSample(line: string, family: string, type: string): Series {
  const [, name = "", rawLabels, rawValue = ""] = SAMPLE.exec(line) ?? [];
  assert.ok(name, `not a sample: ${line}`);
  const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  assert.ok(
    suffixes.some((suffix) => name === family + suffix),
    `${name} is in the family ${family}`,
  );
  assert.match(rawValue, NUMBER, line);
  return { name, labels: readLabels(rawLabels, line), value: Number(rawValue.replace("Inf", "Infinity")) };
}

function readLabels(raw: string | undefined, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = raw ?? ""; rest !== "";) {
    const match = LABEL.exec(rest);
    assert.ok(match, `not labels: ${line}`);
    const [whole, name = "", value = ""] = match;
    assert.ok(!(name in labels), `the label ${name} appears twice: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter));
    rest = rest.slice(whole.length);
  }
  return labels;
}

function checkFamily(name: string, { type, series }: Family): void {
  assert.ok(series.length > 0, `${name} has no series`);
  const keys = series.map(keyOf);
  assert.equal(new Set(keys).size, keys.length, `${name} has a series twice`);
  if (type === "counter") {
    assert.match(name, /_total$/, `the counter ${name} does not end with _total`);
    for (const { value } of series) assert.ok(value >= 0 && Number.isFinite(value), `${name} is ${value}`);
  }
  if (type === "histogram") checkHistogram(name, series);
}

function keyOf({ name, labels }: Series): string {
  return JSON.stringify([name, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function checkHistogram(name: string, series: readonly Series[]): void {
  const groups = new Map<string, Series[]>();
  for (const one of series) {
    const { le: _, ...labels } = one.labels;
    const key = keyOf({ ...one, name: "", labels });
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const group of groups.values()) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number((labels["le"] ?? "none").replace("Inf", "Infinity")));
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      bounds,
      [...new Set(bounds)].sort((a, b) => a - b),
      `${name}: bounds out of order`,
    );
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name}: a bucket counts less than the one below`,
    );
    assert.equal(bounds.at(-1), Infinity, `${name} has no bucket +Inf`);
    const only = (suffix: string): number | undefined => group.find((one) => one.name === name + suffix)?.value;
    assert.equal(only("_count"), counts.at(-1), `${name}: _count is not what +Inf holds`);
    assert.ok(only("_sum") !== undefined, `${name} has no _sum`);
  }
}
