/** `signalSubmit`: a submit that sends a signal to a run. The app decides who may; the form is as safe as any other. */
import { forbidden, notFound, SvcError, type Context, type StandardSchema } from "../../index.ts";
import { fieldsOf, type SignalField } from "../../internal.ts";
import type { Engine, SignalDefinition, Snapshot } from "../../graph.ts";
import type { FieldKind } from "./form-tree.ts";
import { submit, type Submit } from "./submit.ts";

/** Fields of the form. */
export interface SignalFormInput<Value> {
  /** Id of the run. */
  run: string;
  value: Value;
}

export interface SignalSubmitOptions {
  /** The app's engine, which exists once the app has booted: `() => app.engine`. */
  engine: () => Engine;
  /** Whether this visitor may send the signal to this run. The run's id comes from the form, so check that the run is theirs. */
  authorize: (ctx: Context, run: Snapshot) => boolean | Promise<boolean>;
  /** The sender, for the events of the run. Default: none. */
  by?: (ctx: Context) => string | undefined;
  /** Called after the signal is stored; may `redirect`. Default: the page is shown again. */
  onSent?: (ctx: Context, run: Snapshot) => unknown;
  /**
   * Kinds of the fields that are not text, by name: `{ "value.count": "number" }`. Default: from the schema, if it is a flat object of
   * texts, numbers, booleans and choices.
   */
  fields?: Readonly<Record<string, FieldKind>>;
}

/** Value of `<SignalForm submit={…}>`. */
export interface SignalSubmit<Value> extends Submit<SignalFormInput<Value>, never> {
  /** Undefined: the schema shows no fields, so the form needs its own. */
  readonly signalFields: readonly SignalField[] | undefined;
}

/** Prefix of the fields of the value. */
export const SIGNAL_VALUE = "value.";

/**
 * A submit for `<SignalForm>`. Export it from a page or a `_submits.ts`, as every submit.
 * @param name as for `submit`.
 * @throws SvcError `SVC_DEFINITION`
 * @example
 * const approval = defineSignal<{ isApproved: boolean }>("approval");
 * export const decide = signalSubmit("decide", approval, {
 *   engine: () => app.engine,
 *   authorize: (ctx, run) => run.tags.includes(ctx.params["team"] ?? ""),
 * });
 */
export function signalSubmit<Value>(
  name: string,
  signal: SignalDefinition<Value, unknown>,
  options: SignalSubmitOptions,
): SignalSubmit<Value> {
  const { engine, authorize, by, onSent } = options;
  if (typeof engine !== "function" || typeof authorize !== "function")
    throw new SvcError("SVC_DEFINITION", `signalSubmit("${name}", …) needs the functions "engine" and "authorize"`);
  const signalFields = signal.schema && fieldsOf(signal.schema);
  const base = submit(
    name,
    { schema: schemaOf<Value>(signal.schema), fields: (options.fields ?? kindsOf(signalFields)) as never },
    async ({ run: id, value }, { ctx }) => {
      const run = (await engine().snapshot(id)) ?? notFound("This run no longer exists");
      if (!(await authorize(ctx, run))) forbidden();
      const sender = by?.(ctx);
      await engine().signal<Value>(id, signal, value as never, sender === undefined ? {} : { by: sender });
      return onSent?.(ctx, run);
    },
  );
  return { ...base, signalFields };
}

function kindsOf(fields: readonly SignalField[] = []): Record<string, FieldKind> {
  const kinds = fields.flatMap(({ name, kind }): [string, FieldKind][] =>
    kind === "boolean" || kind === "number" ? [[`${SIGNAL_VALUE}${name}`, kind]] : [],
  );
  return Object.fromEntries(kinds);
}

/** Validates the value, and returns it as it was: the waiting worker applies the signal's schema. */
function schemaOf<Value>(schema: StandardSchema | undefined): StandardSchema<SignalFormInput<Value>> {
  return {
    "~standard": {
      version: 1,
      vendor: "svc",
      validate: async (given) => {
        const { run, value } = given as Partial<SignalFormInput<Value>>;
        if (typeof run !== "string") return { issues: [{ message: "The form names no run", path: ["run"] }] };
        const result = schema && (await schema["~standard"].validate(value ?? {}));
        if (result?.issues)
          return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: ["value", ...path] })) };
        return { value: { run, value: (value ?? {}) as Value } };
      },
    },
  };
}
