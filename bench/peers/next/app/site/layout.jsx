import Link from "next/link";
import { Menu } from "./menu.jsx";

export default function Layout({ children }) {
  return (
    <>
      <header>
        <nav>
          <Link href="/site">Home</Link> <Link href="/site/list">List</Link> <Link href="/site/about">About</Link>
        </nav>
        <Menu />
      </header>
      <main>{children}</main>
    </>
  );
}
