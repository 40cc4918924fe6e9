/** The differences of two payloads by path. Hidden values are hidden in both. */
import type { Json } from "../../../graph.ts";
import type { OpsContext } from "../../ops-context.ts";
import { differencesOf } from "../../views/runs/compare.ts";
import { redacted } from "../../views/runs/payload.ts";
import { countText } from "../../views/format.ts";
import { Heads } from "../table-head.tsx";

export function Differences({
  name,
  values: [one, other],
  opsContext,
}: {
  name: string;
  values: readonly [Json, Json];
  opsContext: OpsContext;
}) {
  const hide = { keys: opsContext.redact, isRevealed: false };
  const { items, isCut } = differencesOf(redacted(one, hide), redacted(other, hide));
  if (items.length === 0) return <p class="quiet">{`${name}: no differences in the visible values.`}</p>;
  return (
    <>
      <div class="scroll">
        <table class="differences">
          <caption class="unseen">{`${name}: differences`}</caption>
          <Heads columns={[name, "A", "B"]} />
          <tbody>
            {items.map(({ path, one: before, other: after }) => (
              <tr key={path}>
                <th scope="row" data-label={name}>
                  <code>{path === "" ? "whole value" : path}</code>
                </th>
                <td data-label="A">
                  <JsonText text={before} />
                </td>
                <td data-label="B">
                  <JsonText text={after} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut ? <p class="quiet">{`The first ${countText(items.length)} differences.`}</p> : null}
    </>
  );
}

function JsonText({ text }: { text: string | undefined }) {
  return text === undefined ? <span class="quiet">missing</span> : <code>{text}</code>;
}
