/** The forms by which an operator sends the signals that a run waits for: with fields if the signal has a schema, else with JSON. */
import type { App } from "../../../index.ts";
import type { Snapshot } from "../../../graph.ts";
import { storedFields, type SignalField } from "../../../internal.ts";
import type { OpsContext } from "../../ops-context.ts";
import type { RunData, SignalFormView } from "../../run-data.ts";
import { StepButton, StepForm } from "../parts.tsx";

/** Most forms on a screen: each costs a read of its node. */
const MAX_FORMS = 5;

/** Prefix of the fields of a value. */
export const VALUE_PREFIX = "value.";

export async function loadSignalForms(app: App, run: Snapshot): Promise<SignalFormView[]> {
  const open = openWaits(run).slice(0, MAX_FORMS);
  const nodes = await Promise.all(open.map(({ id }) => app.engine.node(run.graph_id, id)));
  return nodes.flatMap((node) => {
    const stored = node && storedFields(node.input);
    return stored ? [{ wait: node.id, ...stored }] : [];
  });
}

function openWaits({ nodes, finished_ms }: Snapshot): Snapshot["nodes"] {
  return finished_ms === null ? nodes.filter(({ kind, status }) => kind === "wait" && status === "waiting") : [];
}

export function SignalForms({ data: { run, signalForms }, opsContext }: { data: RunData; opsContext: OpsContext }) {
  const waits = openWaits(run);
  if (waits.length === 0) return null;
  const action = `/runs/${run.graph_id}/signal`;
  const isUnknown = signalForms.length < waits.length;
  const known = new Set(signalForms.map(({ wait }) => wait));
  const [first] = waits.filter(({ id }) => !known.has(id));
  const name = /#(.+)$/.exec(first?.id ?? "")?.[1] ?? "";
  return (
    <section class="panel" id="signal" aria-labelledby="signal-title">
      <h2 id="signal-title">{`Waiting for signal: ${waits.map(({ id }) => id).join(", ")}`}</h2>
      {signalForms.map(({ wait, signal, fields }) => (
        <StepForm opsContext={opsContext} action={action} fields={{ name: signal, wait }} class="steps" key={wait}>
          {fields.map((field) => (
            <SignalInput field={field} key={field.name} />
          ))}
          <Reason />
          <StepButton opsContext={opsContext} label="Send" tone="main" name={`Send the signal ${signal} to ${wait}`} />
        </StepForm>
      ))}
      {isUnknown ? (
        <StepForm opsContext={opsContext} action={action} class="steps">
          <label>
            Signal
            <input name="name" required autocomplete="off" value={name.replace(/:\d+$/, "")} />
          </label>
          <label>
            Payload, as JSON
            <input name="payload" required autocomplete="off" spellcheck={false} placeholder='{"ok": true}' />
          </label>
          <Reason />
          <StepButton opsContext={opsContext} label="Send" tone="main" name={`Send the signal ${name}`} />
        </StepForm>
      ) : null}
    </section>
  );
}

function Reason() {
  return (
    <label>
      Reason
      <input name="note" maxlength={500} autocomplete="off" />
    </label>
  );
}

function SignalInput({ field: { name, kind, label, isRequired, options = [] } }: { field: SignalField }) {
  const field = `${VALUE_PREFIX}${name}`;
  if (kind === "boolean")
    return (
      <label>
        <input type="checkbox" name={field} value="on" />
        {label}
      </label>
    );
  if (kind === "choice")
    return (
      <label>
        {label}
        <select name={field} required={isRequired}>
          {["", ...options].map((option) => (
            <option value={option} key={option}>
              {option}
            </option>
          ))}
        </select>
      </label>
    );
  if (kind === "number")
    return (
      <label>
        {label}
        <input type="number" step="any" name={field} required={isRequired} autocomplete="off" />
      </label>
    );
  return (
    <label>
      {label}
      <input name={field} required={isRequired} autocomplete="off" />
    </label>
  );
}
