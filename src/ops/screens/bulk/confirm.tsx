/** The form that confirms a bulk action: the reason and, for more than fifty runs, their number. */
import type { Child } from "../../../jsx-runtime.ts";
import type { OpsContext } from "../../ops-context.ts";
import { StepForm } from "../parts.tsx";

/** For more runs than this, the visitor must type the number. */
const TYPED_FROM = 50;

export interface ConfirmProps {
  opsContext: OpsContext;
  /** The form's target, below the screens' path. */
  action: string;
  /** Number of items to confirm. */
  count: number;
  /** Hidden fields. */
  fields: Readonly<Record<string, string>>;
  /** The link that leaves without a change. */
  leaveHref: string;
  /** The submit button. */
  children?: Child;
}

export function Confirm(props: ConfirmProps) {
  const { opsContext, action, count, fields, leaveHref } = props;
  return (
    <StepForm opsContext={opsContext} action={action} class="confirm" fields={{ ...fields, expected: String(count) }}>
      <label>
        Reason (recorded in the audit trail)
        <input name="note" maxlength={500} autocomplete="off" />
      </label>
      {count > TYPED_FROM ? (
        <label>
          {`Type ${count} to confirm`}
          <input name="typed" required inputmode="numeric" autocomplete="off" pattern={String(count)} />
        </label>
      ) : null}
      <span class="buttons">
        {props.children}
        <a class="button" href={leaveHref}>
          Back
        </a>
      </span>
    </StepForm>
  );
}

/** Whether the number that had to be typed was typed. */
export function isConfirmed({ expected = "", typed }: Readonly<Record<string, string | undefined>>): boolean {
  return !(Number(expected) > TYPED_FROM) || typed === expected;
}
