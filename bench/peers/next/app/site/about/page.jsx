export const metadata = { title: "About" };

export default function About() {
  return (
    <>
      <h1>About</h1>
      <p>What the site is about stands here.</p>
      <p>It is no more than two paragraphs.</p>
    </>
  );
}
