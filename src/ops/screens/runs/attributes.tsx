/** The attributes of a run as links to the runs that share them. */
import type { Snapshot } from "../../../graph.ts";
import { RUNS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import { attributeLabels } from "../../views/runs/run-attributes.ts";
import { queryText } from "../../views/runs/runs-query.ts";

export function Attributes({ run, opsContext }: { run: Snapshot; opsContext: OpsContext }) {
  const labels = attributeLabels(run, opsContext.redact);
  if (labels.length === 0) return null;
  return (
    <p class="tags">
      {labels.map(({ text, isHidden }) =>
        isHidden ? (
          <span class="tag" key={text}>
            {text}
          </span>
        ) : (
          <a class="tag" href={`${RUNS_PATH}?${queryText({ attributes: text })}`} key={text}>
            {text}
          </a>
        ),
      )}
    </p>
  );
}
