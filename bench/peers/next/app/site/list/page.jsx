export const metadata = { title: "List" };

export default function List() {
  const items = Array.from({ length: 20 }, (_, at) => `Item ${at + 1} of the list`);
  return (
    <>
      <h1>List</h1>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </>
  );
}
