/** TodoMVC: one page with a list that is stored in the visitor's browser. */
import { createApp, page } from "svckit";
import { TodoApp } from "./todo-app.tsx";

export default createApp({
  stylesheets: ["/todo.css"],
  icon: "/icon.svg",
  demo: false,
  pages: [
    page("/", {
      title: "svc · TodoMVC",
      description: "The standard to-do list for comparing frameworks",
      view: () => (
        <>
          <TodoApp />
          <noscript>
            <p class="info">This list is stored in the browser, so it needs JavaScript.</p>
          </noscript>
          <footer class="info">
            <p>Double-click to edit a todo</p>
          </footer>
        </>
      ),
    }),
  ],
});
