export const head = { title: "Home" };

export default function Home() {
  return (
    <>
      <h1>Home</h1>
      <p>A site of three pages with one layout.</p>
    </>
  );
}
