import { component$ } from "@builder.io/qwik";

export const head = { title: "Home" };

export default component$(() => (
  <>
    <h1>Home</h1>
    <p>A site of three pages with one layout.</p>
  </>
));
