import { component$ } from "@builder.io/qwik";
import { routeLoader$ } from "@builder.io/qwik-city";

export const head = { title: "List" };

export const useItems = routeLoader$(() => Array.from({ length: 20 }, (_, at) => `Item ${at + 1} of the list`));

export default component$(() => {
  const items = useItems();
  return (
    <>
      <h1>List</h1>
      <ul>
        {items.value.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </>
  );
});
