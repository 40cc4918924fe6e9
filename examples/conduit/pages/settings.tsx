import { Field, Form, type LoadContext, type PageProps } from "svckit/fullstack";
import { requireUser } from "./_app/visitor.ts";
import { saveSettings } from "./_submits.ts";

export const load = async (ctx: LoadContext) => {
  const { email, bio } = await requireUser(ctx);
  return { email, bio };
};

export const head = { title: "Settings", robots: { index: false } };

export default function Settings({ data }: PageProps<typeof load>) {
  return (
    <div class="narrow">
      <h1>Settings</h1>
      <Form submit={saveSettings} values={data} class="fields">
        <Field of={saveSettings} name="bio" label="About you" as="textarea" rows={4} />
        <Field of={saveSettings} name="email" label="E-mail" type="email" autocomplete="email" required />
        <Field
          of={saveSettings}
          name="password"
          label="New password"
          hint="Leave it empty to keep the one you have"
          type="password"
          autocomplete="new-password"
        />
        <button>Save</button>
      </Form>
    </div>
  );
}
