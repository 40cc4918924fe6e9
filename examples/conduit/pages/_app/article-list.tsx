/** List of articles with author and number of favorites, and links to its pages. */
import { Form, href } from "svckit/fullstack";
import { markArticle } from "../_submits.ts";
import { Byline } from "./byline.tsx";
import { favoritesOf, type Article, type User } from "./store.ts";

interface ListProps {
  articles: readonly Article[];
  pages: number;
  /** From 1. */
  page: number;
  /** The address of a page of this list. */
  linkTo: (page: number) => string;
  visitor: User | undefined;
  empty: string;
}

export function ArticleList(props: ListProps) {
  if (props.articles.length === 0) return <p class="empty">{props.empty}</p>;
  return (
    <>
      {props.articles.map((article) => (
        <article class="preview">
          <div class="meta">
            <Byline author={article.author} createdMs={article.createdMs} />
            <MarkButton article={article} visitor={props.visitor} />
          </div>
          <a class="title" href={href("/article/[slug]", { slug: article.slug })}>
            <h2>{article.title}</h2>
            <p>{article.description}</p>
          </a>
          <Tags tags={article.tags} />
        </article>
      ))}
      <Pages pages={props.pages} page={props.page} linkTo={props.linkTo} />
    </>
  );
}

export function MarkButton(props: { article: Article; visitor: User | undefined }) {
  const { slug, title } = props.article;
  const isMarked = props.visitor?.favorites.has(slug) === true;
  return (
    <Form submit={markArticle} id={`mark-${slug}`} class="inline">
      <input type="hidden" name="slug" value={slug} />
      <button class={{ small: true, on: isMarked }} aria-pressed={isMarked ? "true" : "false"}>
        <span class="unseen">Favorite: {title}, </span>
        <span aria-hidden="true">♥</span> {favoritesOf(slug)}
      </button>
    </Form>
  );
}

export function Tags(props: { tags: readonly string[] }) {
  if (props.tags.length === 0) return null;
  return (
    <ul class="tags" aria-label="Tags">
      {props.tags.map((tag) => (
        <li>
          <a href={href("/", {}, { query: { tag } })}>{tag}</a>
        </li>
      ))}
    </ul>
  );
}

function Pages(props: Pick<ListProps, "pages" | "page" | "linkTo">) {
  if (props.pages < 2) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {Array.from({ length: props.pages }, (_, at) => (
        <a href={props.linkTo(at + 1)} aria-current={at + 1 === props.page ? "page" : undefined}>
          {at + 1}
        </a>
      ))}
    </nav>
  );
}
