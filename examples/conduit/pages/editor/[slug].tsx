import { forbidden, notFound } from "svckit";
import type { LoadContext, PageProps } from "svckit/fullstack";
import { Editor } from "../_app/editor.tsx";
import { articleAt } from "../_app/store.ts";
import { requireUser } from "../_app/visitor.ts";

export const load = async (ctx: LoadContext<"/editor/[slug]">) => {
  const user = await requireUser(ctx);
  const article = articleAt(ctx.params.slug) ?? notFound("This article does not exist");
  if (article.author !== user.username) forbidden();
  return article;
};

export const head = { title: "Edit", robots: { index: false } };

export default function EditArticle({ data }: PageProps<typeof load>) {
  return <Editor article={data} />;
}
