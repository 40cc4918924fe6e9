/** The layout of every page. */
import { Slot } from "svckit";

export const head = { titleTemplate: "%s · Tea room" };

export default function Layout() {
  return (
    <>
      <header>
        <a href="/">Tea room</a>
      </header>
      <main>
        <Slot />
      </main>
    </>
  );
}
