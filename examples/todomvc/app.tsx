/** TodoMVC: one page, whose list lives in the visitor's browser. */
import { createApp, page } from "svckit";
import { TodoApp } from "./todo-app.tsx";

export default createApp({
  stylesheets: ["/todo.css"],
  icon: "/icon.svg",
  demo: false,
  pages: [
    page("/", {
      title: "svc · TodoMVC",
      description: "The to-do list that frameworks are compared by",
      view: () => (
        <>
          <TodoApp />
          <noscript>
            <p class="info">This list is kept in the browser, so it needs JavaScript.</p>
          </noscript>
          <footer class="info">
            <p>Double-click to edit a todo</p>
          </footer>
        </>
      ),
    }),
  ],
});
