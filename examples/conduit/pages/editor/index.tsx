import type { LoadContext } from "svckit/fullstack";
import { Editor } from "../_app/editor.tsx";
import { requireUser } from "../_app/visitor.ts";

export const load = async (ctx: LoadContext) => void (await requireUser(ctx));

export const head = { title: "New article", robots: { index: false } };

export default function NewArticle() {
  return <Editor />;
}
