import { component$ } from "@builder.io/qwik";

export const head = { title: "About" };

export default component$(() => (
  <>
    <h1>About</h1>
    <p>What the site is about stands here.</p>
    <p>It is no more than two paragraphs.</p>
  </>
));
