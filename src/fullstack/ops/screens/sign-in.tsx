/** The door: the form that takes the operators' key, and what stands there where no key would open. */
import { CsrfField, VARIABLES } from "../../../index.ts";
import { OPS_PATH, type Denial } from "../access.ts";
import type { Told } from "../told.ts";

export function SignIn({ told, back }: { told: Told | undefined; back: string }) {
  return (
    <main class="door">
      <h1>Sign in to svc ops</h1>
      {told === undefined ? null : (
        <div class="notice" data-tone={told.tone} role="alert">
          <p>{told.text}</p>
        </div>
      )}
      <form method="post" action={`${OPS_PATH}/sign-in`}>
        <CsrfField />
        <input type="hidden" name="back" value={back} />
        <label>
          Operator key
          <input type="password" name="key" required autocomplete="current-password" />
        </label>
        <p class="quiet">
          The value of <code>{VARIABLES.execApiKey}</code> that this app was started with.
        </p>
        <label class="check">
          <input type="checkbox" name="role" value="read" /> Only look, so that nothing is changed by mistake
        </label>
        <button type="submit" class="button" data-tone="main">
          Sign in
        </button>
      </form>
    </main>
  );
}

export function Closed({ denial }: { denial: Denial }) {
  return (
    <main class="door">
      <h1>{denial === "forbidden" ? "Not for you" : "Nothing is open here"}</h1>
      {denial === "forbidden" ? (
        <p>This app decides who may see its operations, and you are not among them.</p>
      ) : (
        <ClosedReasons />
      )}
    </main>
  );
}

function ClosedReasons() {
  return (
    <>
      <p>The operators' screens are closed until this app is told whom to let in:</p>
      <ul>
        <li>
          start it with <code>{VARIABLES.execApiKey}</code>, and sign in here with that key, or
        </li>
        <li>
          give <code>createFullStackApp</code> a word of its own: <code>{"ops: { authorize: (ctx) => … }"}</code>
        </li>
      </ul>
      <p class="quiet">In development they are open to the machine that the app runs on, at localhost.</p>
    </>
  );
}
