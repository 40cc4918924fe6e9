/** `/static`: a page without browser code, which therefore ships no script. */
import type { JSX } from "svckit/jsx-runtime";

export const head = { title: "A page without script" };

export default function StaticPage(): JSX.Element {
  return (
    <article class="prose">
      <h1>A page without script</h1>
      <p>
        Nothing on this page reacts, so the compiler emitted nothing for the browser and the server wrote no loader, no
        state and no marker into it. Look at its source: it is the HTML you would have written by hand.
      </p>
      <h2>When a page ships script</h2>
      <div class="table-scroll">
        <table>
          <caption>Scripts by page content</caption>
          <thead>
            <tr>
              <th scope="col">Page content</th>
              <th scope="col">Before any interaction</th>
              <th scope="col">At the first interaction</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">text, links, forms</th>
              <td>nothing</td>
              <td>nothing</td>
            </tr>
            <tr>
              <th scope="row">a handler or a live value</th>
              <td>the loader</td>
              <td>the core and that component’s code</td>
            </tr>
            <tr>
              <th scope="row">a list or a branch that changes</th>
              <td>the loader</td>
              <td>also the part for regions</td>
            </tr>
          </tbody>
        </table>
      </div>
    </article>
  );
}
