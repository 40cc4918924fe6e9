/** The form that confirms a step for many: why it is taken and, of more than fifty, their number typed. */
import type { Child } from "../../../jsx-runtime.ts";
import type { OpsContext } from "../../ops-context.ts";
import { StepForm } from "../parts.tsx";

/** More are confirmed by typing how many. */
const TYPED_FROM = 50;

export interface ConfirmProps {
  opsContext: OpsContext;
  /** Where the form is sent, below the screens' path. */
  action: string;
  /** How many there are to confirm. */
  count: number;
  /** What is sent along. */
  fields: Readonly<Record<string, string>>;
  /** Back to where nothing is done. */
  leaveHref: string;
  /** The button that does it. */
  children?: Child;
}

export function Confirm(props: ConfirmProps) {
  const { opsContext, action, count, fields, leaveHref } = props;
  return (
    <StepForm opsContext={opsContext} action={action} class="confirm" fields={{ ...fields, expected: String(count) }}>
      <label>
        Why (kept in the audit trail)
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
          Change nothing
        </a>
      </span>
    </StepForm>
  );
}

/** Whether what the form sent has the number typed that had to be. */
export function isConfirmed({ expected = "", typed }: Readonly<Record<string, string | undefined>>): boolean {
  return !(Number(expected) > TYPED_FROM) || typed === expected;
}
