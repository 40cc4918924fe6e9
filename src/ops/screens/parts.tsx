/** Components that the screens share. */
import { CsrfField, type SvcError } from "../../index.ts";
import { StatusMark } from "../widgets/status-mark.tsx";
import type { Child } from "../../jsx-runtime.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { OpsContext } from "../ops-context.ts";
import type { Commands } from "../views/cli-commands.ts";
import type { StatusStyle } from "../views/status-style.ts";
import { READ_ONLY } from "../views/runs/allowed-actions.ts";
import { agoText, momentText } from "../views/format.ts";
import { MissingRun, WhyMissing } from "./runs/missing-run.tsx";

/** A time relative to now, with the full timestamp as its tooltip. */
export function Time({ ms, opsContext }: { ms: number; opsContext: OpsContext }) {
  return (
    <time datetime={new Date(ms).toISOString()} title={momentText(ms, opsContext.zone)}>
      {agoText(ms, opsContext.nowMs)}
    </time>
  );
}

export function Mark({ looks: { status, word } }: { looks: StatusStyle }) {
  return word === undefined ? <StatusMark status={status} /> : <StatusMark status={status} word={word} />;
}

export interface StepFormProps {
  opsContext: OpsContext;
  /** Below the screens: `/queues/mail/pause`. */
  action: string;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
  class?: string;
  /** For forms with several buttons: Enter in a field submits nothing. Default: Enter presses the first button. */
  isByButton?: boolean;
  children?: Child;
}

/** A form that changes something, with the CSRF token and the URL to return to. */
export function StepForm(props: StepFormProps) {
  const { opsContext, action, fields = {}, isByButton = false } = props;
  return (
    <form method="post" action={OPS_PATH + action} class={props.class}>
      {isByButton ? <button type="submit" disabled hidden></button> : null}
      <CsrfField />
      <input type="hidden" name="back" value={opsContext.here} />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} key={name} />
      ))}
      {props.children}
    </form>
  );
}

export interface StepButtonProps {
  opsContext: OpsContext;
  label: string;
  /** Why the button is disabled. Default: disabled only for readers. */
  refusal?: string | undefined;
  /** Path of the form's target, if it differs from the form's. */
  action?: string;
  tone?: "bad" | "main" | undefined;
  /** Accessible name with the subject: "Pause mail". */
  name?: string;
  /** Shortcut. */
  shortcut?: string | undefined;
}

/** A submit button. If it is disabled, the tooltip and the accessible name say why. */
export function StepButton({ opsContext, label, refusal, action, tone, name, shortcut }: StepButtonProps) {
  const why = refusal ?? (opsContext.visitor.role === "operator" ? undefined : READ_ONLY);
  if (why !== undefined)
    return (
      <button type="submit" class="button" disabled title={why} aria-label={`${name ?? label}: ${why}`}>
        {label}
      </button>
    );
  return (
    <button
      type="submit"
      class="button"
      data-tone={tone}
      data-key={shortcut}
      formaction={action === undefined ? undefined : OPS_PATH + action}
      aria-label={name}
    >
      {label}
    </button>
  );
}

export function CommandsPanel({ commands, label = "Copy as command" }: { commands: Commands; label?: string }) {
  return (
    <details class="commands">
      <summary>{label}</summary>
      <dl>
        <dt>curl</dt>
        <dd>
          <CommandText name="curl" text={commands.curl} />
        </dd>
        {commands.cli === undefined ? null : <dt>CLI</dt>}
        {commands.cli === undefined ? null : (
          <dd>
            <CommandText name="CLI" text={commands.cli} />
          </dd>
        )}
      </dl>
    </details>
  );
}

function CommandText({ name, text }: { name: string; text: string }) {
  return (
    <pre tabindex={0} role="region" aria-label={name} data-copy>
      <code>{text}</code>
    </pre>
  );
}

export function Empty(props: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}

/** Replaces a screen that does not exist or must not be shown. */
export function Refused({ error, opsContext }: { error: SvcError; opsContext: OpsContext }) {
  return (
    <>
      <h1>{error.status === 404 ? "Not found" : "Request failed"}</h1>
      <Empty title={error.message}>
        {error instanceof MissingRun ? <WhyMissing of={error} opsContext={opsContext} /> : null}
        <p>
          <a href={OPS_PATH}>Go to the overview</a>
        </p>
      </Empty>
    </>
  );
}

/** The number of items in a list, and the link to its next page. */
export function Pager({ href, text, label = "Older" }: { href: string | undefined; text: string; label?: string }) {
  return (
    <p class="pager">
      <span>{text}</span>
      {href === undefined ? null : (
        <a class="button" href={href} rel="next" data-key="n">
          {label}
        </a>
      )}
    </p>
  );
}
