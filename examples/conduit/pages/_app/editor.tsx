/** The form for a new or existing article. */
import { Field, Form } from "svckit/fullstack";
import { saveArticle } from "../_submits.ts";
import type { Article } from "./store.ts";

export function Editor(props: { article?: Article }) {
  const { article } = props;
  const values = article && {
    title: article.title,
    description: article.description,
    body: article.body,
    tags: article.tags.join(", "),
  };
  return (
    <div class="narrow">
      <h1>{article ? "Edit the article" : "New article"}</h1>
      <Form submit={saveArticle} values={values ?? {}} class="fields">
        <input type="hidden" name="slug" value={article?.slug ?? ""} />
        <Field of={saveArticle} name="title" label="Title" required />
        <Field of={saveArticle} name="description" label="What is it about?" required />
        <Field of={saveArticle} name="body" label="Your article" hint="In Markdown" as="textarea" rows={12} required />
        <Field of={saveArticle} name="tags" label="Tags" hint="Separated by commas" />
        <button>{article ? "Save" : "Publish"}</button>
      </Form>
    </div>
  );
}
