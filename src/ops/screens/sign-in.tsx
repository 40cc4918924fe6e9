/** The sign-in form, and the pages shown if signing in is not possible. */
import { CsrfField } from "../../index.ts";
import { VARIABLES } from "../../internal.ts";
import { OPS_PATH, type Denial } from "../operator-access.ts";
import type { OpsFlash } from "../ops-flash.ts";

export function SignIn({ flash, back }: { flash: OpsFlash | undefined; back: string }) {
  return (
    <main class="door">
      <h1>Sign in to svc ops</h1>
      <Alert flash={flash} />
      <form method="post" action={`${OPS_PATH}/sign-in`}>
        <CsrfField />
        <input type="hidden" name="back" value={back} />
        <label>
          Operator key
          <input type="password" name="key" required autocomplete="current-password" />
        </label>
        <p class="quiet">
          The value of <code>{VARIABLES.execApiKey}</code> with which this app was started.
        </p>
        <label class="check">
          <input type="checkbox" name="role" value="read" /> Read-only, to prevent accidental changes
        </label>
        <button type="submit" class="button" data-tone="main">
          Sign in
        </button>
      </form>
    </main>
  );
}

const TITLES: Readonly<Record<Exclude<Denial, "sign-in">, string>> = {
  forbidden: "Access denied",
  link: "Open the link of svc dev",
  closed: "The operator screens are disabled",
};

export function Closed({ denial, flash }: { denial: Exclude<Denial, "sign-in">; flash: OpsFlash | undefined }) {
  return (
    <main class="door">
      <h1>{TITLES[denial]}</h1>
      <Alert flash={flash} />
      {denial === "forbidden" ? (
        <p>This app decides who may see its operator screens, and does not let you in.</p>
      ) : null}
      {denial === "link" ? <LinkHelp /> : null}
      {denial === "closed" ? <ClosedReasons /> : null}
    </main>
  );
}

function Alert({ flash }: { flash: OpsFlash | undefined }) {
  return flash === undefined ? null : (
    <div class="notice" data-tone={flash.tone} role="alert">
      <p>{flash.text}</p>
    </div>
  );
}

function LinkHelp() {
  return (
    <>
      <p>
        <code>svc dev</code> printed a link that signs you in once. For a new one, press <kbd>o</kbd> and then{" "}
        <kbd>Enter</kbd> in its terminal, or restart it.
      </p>
      <p class="quiet">
        To sign in with a key instead, set <code>{VARIABLES.execApiKey}</code>.
      </p>
    </>
  );
}

function ClosedReasons() {
  return (
    <>
      <p>To enable them, do one of these:</p>
      <ul>
        <li>
          start the app with <code>{VARIABLES.execApiKey}</code> and sign in here with that key, or
        </li>
        <li>
          decide in the app: <code>{"createFullStackApp({ ops: { authorize: (ctx) => … } })"}</code>
        </li>
      </ul>
      <p class="quiet">
        In development, <code>svc dev</code> prints a link that signs you in.
      </p>
    </>
  );
}
