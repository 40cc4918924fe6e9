/** `/`: a counter that resumes in the browser, and a form that starts a graph. */
import { signal } from "svckit";
import { Field, Form } from "svckit/fullstack";
import { orderTea } from "./_submits.ts";

export const head = { title: "Welcome" };

/** Its body runs once, on the server. The first click loads the code of the handler. */
function Counter(props: { start: number }) {
  const count = signal(props.start);
  return (
    <section aria-labelledby="counter" class="needs-script">
      <h2 id="counter">Counter</h2>
      <p role="status">
        Count: {count.value}, doubled: {count.value * 2}
      </p>
      <button type="button" class="button" onClick={() => count.value++}>
        Add 1
      </button>
    </section>
  );
}

export default function Welcome() {
  return (
    <>
      <h1>Welcome</h1>
      <p>
        This page is <code>pages/index.tsx</code>. Change it while <code>npm run dev</code> runs.
      </p>
      <Counter start={0} />
      <section aria-labelledby="order">
        <h2 id="order">Order tea</h2>
        <Form submit={orderTea} values={{ tea: "Assam", cups: 3 }}>
          <Field of={orderTea} name="tea" label="Tea" as="select" options={["Assam", "Darjeeling", "Sencha"]} />
          <Field of={orderTea} name="cups" label="Cups" type="number" min={1} max={12} required />
          <button class="button">Order</button>
        </Form>
      </section>
    </>
  );
}
