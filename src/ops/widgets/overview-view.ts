/** The view model of the overview widget: the last hour, active and failed runs, and the process. */
import type { App } from "../../index.ts";
import type { RecentActivity, Status } from "../../ops.ts";
import { graphStatus } from "./graph-view.ts";
import type { FlowStatus } from "./status.ts";
import { workerViews, type WorkerView } from "./worker-view.ts";

export interface OverviewRun {
  id: string;
  worker: string;
  status: FlowStatus;
  createdMs: number;
  message: string | undefined;
}

export interface OverviewView {
  status: Status;
  recent: RecentActivity;
  workers: readonly WorkerView[];
  /** Newest first. */
  failed: readonly OverviewRun[];
  newest: readonly OverviewRun[];
}

const MOST_RUNS = 6;

export async function readOverviewView(app: App): Promise<OverviewView> {
  const runs = async (query: Parameters<App["engine"]["list"]>[0]): Promise<OverviewRun[]> =>
    (await app.engine.list({ ...query, limit: MOST_RUNS })).items.map((run) => ({
      id: run.graph_id,
      worker: run.worker,
      status: graphStatus(run),
      createdMs: run.created_ms,
      message: run.error?.message,
    }));
  return {
    status: await app.operations.status(),
    recent: await app.operations.recent(),
    workers: await workerViews(app),
    failed: await runs({ status: "failed" }),
    newest: await runs({}),
  };
}
