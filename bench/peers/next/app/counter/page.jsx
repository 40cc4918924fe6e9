import { Shop } from "./shop";

const items = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, label: `Item number ${at + 1}` }));

// Reads the address, so it is rendered for each request.
export default async function Page({ searchParams }) {
  const { name = "nobody" } = await searchParams;
  return <Shop name={name} items={items} />;
}
