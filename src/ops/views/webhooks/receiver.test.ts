import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../index.ts";
import { receiversOf } from "./receiver.ts";

type Webhooks = App["webhooks"];

describe("The rows of webhook receivers", () => {
  it("take two reads for any number of webhooks: one for counts, one for response times", async () => {
    const reads: string[] = [];
    const figures = { attempts: 0, p50_ms: null, p99_ms: null, last: null };
    const read = (name: string, ids: readonly string[]): void => void reads.push(`${name} ${ids.join(" ")}`);
    const webhooks = {
      tallies: async (ids: readonly string[]) => {
        read("tallies", ids);
        return ids.map((webhook_id, at) => ({ webhook_id, delivered: at, failed: 0, pending: 0 }));
      },
      allFigures: async (ids: readonly string[]) => {
        read("figures", ids);
        return ids.map((_, attempts) => ({ ...figures, attempts }));
      },
    } as Partial<Webhooks> as Webhooks;
    const hooks = ["wh_a", "wh_b", "wh_c"].map((id) => ({ id }) as Awaited<ReturnType<Webhooks["get"]>>);
    const rows = await receiversOf(webhooks, hooks, 0);
    assert.deepEqual(reads, ["tallies wh_a wh_b wh_c", "figures wh_a wh_b wh_c"]);
    assert.deepEqual(
      rows.map(({ hook, delivered, figures: { attempts } }) => [hook.id, delivered, attempts]),
      [
        ["wh_a", 0, 0],
        ["wh_b", 1, 1],
        ["wh_c", 2, 2],
      ],
    );
  });
});
