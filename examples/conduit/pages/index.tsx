import { href, type LoadContext, type PageProps } from "svckit/fullstack";
import { ArticleList } from "./_app/article-list.tsx";
import { findArticles, popularTags } from "./_app/store.ts";
import { visitorOf } from "./_app/visitor.ts";

export const load = async (ctx: LoadContext) => {
  const visitor = await visitorOf(ctx);
  const tag = ctx.query.get("tag") ?? undefined;
  const isOwnFeed = visitor !== undefined && ctx.query.get("feed") === "yours";
  const page = Math.max(1, Math.trunc(Number(ctx.query.get("page"))) || 1);
  const found = findArticles({ tag, followedBy: isOwnFeed ? visitor.username : undefined }, page);
  return { ...found, visitor, tag, page, feed: isOwnFeed ? "yours" : undefined, tags: popularTags() };
};

export const head = ({ data }: PageProps<typeof load>) => ({
  title: data.tag === undefined ? "Home" : `#${data.tag}`,
  description: "A place to share what you know",
  canonical: "/",
});

export default function Home({ data }: PageProps<typeof load>) {
  const { tag, feed, visitor } = data;
  const isGlobal = tag === undefined && feed === undefined;
  return (
    <>
      <div class="banner">
        <h1>conduit</h1>
        <p>A place to share what you know.</p>
      </div>
      <div class="columns">
        <section aria-label="Articles">
          <nav class="tabs" aria-label="Feeds">
            {visitor && (
              <a href="/?feed=yours" aria-current={feed ? "page" : undefined}>
                Your feed
              </a>
            )}
            <a href="/" aria-current={isGlobal ? "page" : undefined}>
              Global feed
            </a>
            {tag !== undefined && (
              <a href={href("/", {}, { query: { tag } })} aria-current="page">
                #{tag}
              </a>
            )}
          </nav>
          <ArticleList
            articles={data.articles}
            pages={data.pages}
            page={data.page}
            linkTo={(page) => href("/", {}, { query: { tag, feed, page } })}
            visitor={visitor}
            empty={feed ? "Follow authors to see their articles here." : "No articles yet."}
          />
        </section>
        <aside class="card">
          <h2>Popular tags</h2>
          <ul class="tags">
            {data.tags.map((name) => (
              <li>
                <a href={href("/", {}, { query: { tag: name } })}>{name}</a>
              </li>
            ))}
          </ul>
        </aside>
      </div>
    </>
  );
}
