import { Field, Form } from "svckit/fullstack";
import { register } from "./_submits.ts";

export const head = { title: "Sign up", robots: { index: false } };

export default function Register() {
  return (
    <div class="narrow">
      <h1>Sign up</h1>
      <p>
        <a href="/login">Have an account?</a>
      </p>
      <Form submit={register} class="fields">
        <Field of={register} name="username" label="Name" autocomplete="username" required />
        <Field of={register} name="email" label="E-mail" type="email" autocomplete="email" required />
        <Field of={register} name="password" label="Password" type="password" autocomplete="new-password" required />
        <button>Sign up</button>
      </Form>
    </div>
  );
}
