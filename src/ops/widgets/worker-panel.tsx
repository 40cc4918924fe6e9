/** `<WorkerPanel>`: the current work and the queue of each worker. */
import { Await, type App } from "../../index.ts";
import { useApp } from "../../internal.ts";
import { useLive, type LiveAttributes } from "../live/live-access.ts";
import { StatusMark } from "./status-mark.tsx";
import { countText, durationText } from "../views/format.ts";
import { workerViews, type WorkerView } from "./worker-view.ts";

/** The data of a `<WorkerPanel>`. */
export interface Workers {
  workers: readonly WorkerView[];
}

/**
 * Reads the workers of this process for `<WorkerPanel>`. The visitor of the page may follow them, so
 * check access first.
 * @example
 * const workers = await readWorkers(app);
 */
export async function readWorkers(app: App): Promise<Workers> {
  return { workers: await workerViews(app) };
}

export interface WorkerPanelProps {
  /** The data that a loader has read. Default: the widget reads it. */
  workers?: Workers;
  /** Heading. Default "Workers". */
  title?: string;
}

/**
 * The current work and the queue of each worker, for operators. The page must check access.
 * @example
 * <WorkerPanel title="Workers" />
 */
export function WorkerPanel({ workers, title = "Workers" }: WorkerPanelProps) {
  const live = useLive();
  if (workers) return <PanelView workers={workers} title={title} live={live} />;
  return (
    <Await value={readWorkers(useApp())}>{(read) => <PanelView workers={read} title={title} live={live} />}</Await>
  );
}

function PanelView({ workers: { workers }, title, live }: { workers: Workers; title: string; live: LiveAttributes }) {
  return (
    <svc-live class="svc-workers" {...live({ topic: "workers" })} data-at="" data-widget="workers">
      <section aria-labelledby="svc-workers-title">
        <header class="svc-head">
          <h2 id="svc-workers-title">{title}</h2>
          <span class="svc-pill" data-pill="" hidden={true} />
        </header>
        <WorkerTable workers={workers} />
      </section>
    </svc-live>
  );
}

export function WorkerTable({ workers }: { workers: readonly WorkerView[] }) {
  if (workers.length === 0)
    return (
      <p class="svc-empty" data-part="workers">
        No workers yet. Pass them to createApp as <code>workers</code> or <code>graphs</code>.
      </p>
    );
  return (
    <div class="svc-scroll" data-part="workers" tabindex="0" role="region" aria-label="Table of workers">
      <table class="svc-table">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col">State</th>
            <th scope="col">Running</th>
            <th scope="col" class="svc-number">
              Queued
            </th>
            <th scope="col" class="svc-number">
              Oldest
            </th>
            <th scope="col">Rate</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <WorkerRow worker={worker} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WorkerRow({ worker }: { worker: WorkerView }) {
  const { name, running, queued, concurrency, oldestMs, paused, rate } = worker;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {paused ? (
          <StatusMark status="paused" word={paused.note === null ? "paused" : `paused: ${paused.note}`} />
        ) : running > 0 ? (
          <StatusMark status="running" />
        ) : queued > 0 ? (
          <StatusMark status="waiting" />
        ) : (
          <StatusMark status="queued" word="idle" />
        )}
      </td>
      <td>
        <span class="svc-load">
          <meter
            min={0}
            max={concurrency}
            value={running}
            aria-label={`${name}: ${running} of ${concurrency} slots in use`}
          />
          <span>
            {countText(running)} of {countText(concurrency)}
          </span>
        </span>
      </td>
      <td class="svc-number" data-label="queued">
        {countText(queued)}
      </td>
      <td class="svc-number" data-label="oldest">
        {oldestMs === null ? "–" : durationText(oldestMs)}
      </td>
      <td data-label="rate">{rate ?? "–"}</td>
    </tr>
  );
}

export function workerParts(workers: readonly WorkerView[]): Map<string, string> {
  return new Map([["workers", String(<WorkerTable workers={workers} />)]]);
}
