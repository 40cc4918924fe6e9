/** The files in examples/monitoring name only metrics that an app has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { worker } from "../../../graphs/definition/definition.ts";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import { createApp } from "../../app.ts";
import { Metrics } from "./metrics.ts";
import { ProcessMetrics } from "./process-metrics.ts";

const KEY = "k".repeat(32);
const NAME = /\b(?:svc|process|nodejs)_[a-z0-9_]+/g;

const fileOf = (name: string): string =>
  readFileSync(new URL(`../../../../examples/monitoring/${name}`, import.meta.url), "utf8");

/** Metrics that are read from store and engine. */
async function stateText(): Promise<string> {
  const work = worker("work", () => null);
  const env = {
    SVC_DATABASE_URL: "memory:",
    SVC_SECRET: "s".repeat(32),
    SVC_EXEC_API_KEY: KEY,
    SVC_LOG_LEVEL: "error",
  };
  const app = createApp({ env, workers: [work] });
  await app.boot();
  try {
    await (await app.engine.start(work, null)).result();
    const headers = { authorization: `Bearer ${KEY}` };
    return await (await app.fetch(new Request("http://localhost/_svc/metrics", { headers }))).text();
  } finally {
    await app.close();
  }
}

/** Names of series: a histogram has three. */
async function knownSeries(): Promise<Set<string>> {
  // The delay of the event loop has no samples in the first moments of an app, so its names are not in the text.
  const counted = [...new Metrics(new SimulatedClock()).families(), ...new ProcessMetrics().families()];
  const stored = [...(await stateText()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const families = [...counted.map(({ name, type }) => [name, type]), ...stored.map(([, name, type]) => [name, type])];
  return new Set(
    families.flatMap(([name = "", type]) =>
      type === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : [name],
    ),
  );
}

describe("the monitoring examples", () => {
  it("name only metrics that an app reports", async () => {
    const known = await knownSeries();
    const unknown = (text: string): string[] => (text.match(NAME) ?? []).filter((name) => !known.has(name));
    for (const name of ["grafana.json", "keda.yaml"]) {
      const text = fileOf(name);
      assert.ok((text.match(NAME) ?? []).length > 0, name);
      assert.deepEqual(unknown(text), [], name);
    }
    assert.deepEqual(unknown("sum(svc_nodes_wating)"), ["svc_nodes_wating"]);
  });

  it("show in the dashboard every metric of svc, except that of the traces", async () => {
    const shown = new Set<string>(fileOf("grafana.json").match(NAME));
    const own = [...(await knownSeries())].filter((name) => name.startsWith("svc_") && !/_(?:sum|count)$/.test(name));
    assert.deepEqual(
      own.filter((name) => !shown.has(name)),
      ["svc_spans_total"],
    );
  });

  it("are a dashboard with unique panels, each with a title, a description and queries", () => {
    const { panels } = JSON.parse(fileOf("grafana.json")) as {
      panels: { id: number; type: string; title: string; description?: string; targets?: { expr: string }[] }[];
    };
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const { type, title, description, targets } of panels) {
      assert.ok(title);
      if (type !== "row") assert.ok(description && targets && targets.length > 0, title);
    }
  });
});
