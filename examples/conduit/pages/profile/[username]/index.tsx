import { notFound } from "svckit";
import type { LoadContext, PageProps } from "svckit/fullstack";
import { Profile } from "../../_app/profile.tsx";
import { findArticles, userNamed } from "../../_app/store.ts";
import { visitorOf } from "../../_app/visitor.ts";

export const load = async (ctx: LoadContext<"/profile/[username]">) => {
  const user = userNamed(ctx.params.username) ?? notFound("This user does not exist");
  return { user, visitor: await visitorOf(ctx), articles: findArticles({ author: user.username }).articles };
};

export const head = ({ data }: PageProps<typeof load>) => ({ title: data.user.username });

export default function Written({ data }: PageProps<typeof load>) {
  return <Profile user={data.user} visitor={data.visitor} articles={data.articles} isFavorites={false} />;
}
