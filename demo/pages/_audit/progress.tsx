/** Shows an active audit: follows the event stream and reloads the page when the audit has ended. */
import { onLoad, signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";
import { afterEvent, progressSentence, type Progress, type StreamEvent } from "../../audit/progress.ts";

/**
 * @param props.here path of this page, for visitors without script.
 * @param props.eventsUrl stream of the events after `start`.
 */
export function AuditProgress(props: { here: string; eventsUrl: string; start: Progress }): JSX.Element {
  const progress = signal(props.start);
  onLoad(() => {
    const source = new EventSource(props.eventsUrl);
    source.onmessage = (message) => {
      const event = JSON.parse(message.data as string) as StreamEvent;
      progress.value = afterEvent(progress.value, event);
      if (!progress.value.isOver) return;
      source.close();
      location.reload();
    };
    return () => source.close();
  });
  return (
    <section class="panel" aria-labelledby="progress-heading">
      <h2 id="progress-heading">In progress</h2>
      <p role="status">{progressSentence(progress.value)}</p>
      <progress
        aria-label="Packages inspected"
        value={progress.value.inspected}
        max={Math.max(1, progress.value.packages)}
      />
      <ol class="graph" aria-label="Nodes of the graph">
        <li class={["node", `node-${progress.value.parse}`]}>
          <strong>parse</strong> <span class="node-state">{progress.value.parse}</span>
        </li>
        <li class={["node", `node-${progress.value.inspect}`]}>
          <strong>inspect</strong>{" "}
          <span class="node-state">
            {progress.value.packages === 0
              ? progress.value.inspect
              : `${progress.value.inspected} / ${progress.value.packages}`}
          </span>
        </li>
        <li class={["node", `node-${progress.value.report}`]}>
          <strong>report</strong> <span class="node-state">{progress.value.report}</span>
        </li>
      </ol>
      <noscript>
        <p>
          <a class="button" href={props.here}>
            Reload to see progress
          </a>
        </p>
      </noscript>
    </section>
  );
}
