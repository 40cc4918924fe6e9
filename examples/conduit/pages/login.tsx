import { Field, Form, type LoadContext, type PageProps } from "svckit/fullstack";
import { login } from "./_submits.ts";

export const load = (ctx: LoadContext) => ({ to: ctx.query.get("to") ?? "/" });

export const head = { title: "Sign in", robots: { index: false } };

export default function Login({ data }: PageProps<typeof load>) {
  return (
    <div class="narrow">
      <h1>Sign in</h1>
      <p>
        <a href="/register">Need an account?</a>
      </p>
      <Form submit={login} values={{ to: data.to }} class="fields">
        <input type="hidden" name="to" value={data.to} />
        <Field of={login} name="email" label="E-mail" type="email" autocomplete="email" required />
        <Field of={login} name="password" label="Password" type="password" autocomplete="current-password" required />
        <button>Sign in</button>
      </Form>
    </div>
  );
}
