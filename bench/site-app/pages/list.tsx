import type { PageProps } from "svckit/fullstack";

export const head = { title: "List" };

export const load = () => Array.from({ length: 20 }, (_, at) => `Item ${at + 1} of the list`);

export default function List({ data }: PageProps<typeof load>) {
  return (
    <>
      <h1>List</h1>
      <ul>
        {data.map((item) => (
          <li>{item}</li>
        ))}
      </ul>
    </>
  );
}
