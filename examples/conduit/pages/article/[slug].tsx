import { notFound } from "svckit";
import { Field, Form, href, type LoadContext, type PageProps } from "svckit/fullstack";
import { MarkButton, Tags } from "../_app/article-list.tsx";
import { Byline } from "../_app/byline.tsx";
import { FollowButton } from "../_app/follow-button.tsx";
import { Markdown } from "../_app/markdown.tsx";
import { articleAt, commentsOn, type Comment, type User } from "../_app/store.ts";
import { visitorOf } from "../_app/visitor.ts";
import { comment, deleteArticle, deleteComment } from "../_submits.ts";

export const load = async (ctx: LoadContext<"/article/[slug]">) => {
  const { slug } = ctx.params;
  const article = articleAt(slug) ?? notFound("This article does not exist");
  return { article, comments: commentsOn(slug), visitor: await visitorOf(ctx) };
};

export const head = ({ data: { article } }: PageProps<typeof load>) => ({
  title: article.title,
  description: article.description,
  canonical: href("/article/[slug]", { slug: article.slug }),
  openGraph: { type: "article" as const },
});

export const markdown = ({ data: { article } }: PageProps<typeof load>) => `# ${article.title}\n\n${article.body}`;

export default function ArticlePage({ data }: PageProps<typeof load>) {
  const { article, visitor } = data;
  return (
    <>
      <div class="banner left">
        <h1>{article.title}</h1>
        <div class="meta">
          <Byline author={article.author} createdMs={article.createdMs} />
          {visitor?.username === article.author ? (
            <OwnActions slug={article.slug} />
          ) : (
            <div class="row">
              <FollowButton username={article.author} visitor={visitor} />
              <MarkButton article={article} visitor={visitor} />
            </div>
          )}
        </div>
      </div>
      <article class="text">
        <Markdown text={article.body} />
        <Tags tags={article.tags} />
      </article>
      <Comments slug={article.slug} comments={data.comments} visitor={visitor} />
    </>
  );
}

function OwnActions(props: { slug: string }) {
  return (
    <div class="row">
      <a class="button small" href={href("/editor/[slug]", { slug: props.slug })}>
        Edit
      </a>
      <Form submit={deleteArticle} class="inline">
        <input type="hidden" name="slug" value={props.slug} />
        <button class="small danger">Delete</button>
      </Form>
    </div>
  );
}

function Comments(props: { slug: string; comments: readonly Comment[]; visitor: User | undefined }) {
  return (
    <section class="text" aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      {props.visitor ? (
        <Form submit={comment} class="fields">
          <input type="hidden" name="slug" value={props.slug} />
          <Field of={comment} name="body" label="Your comment" as="textarea" rows={3} required />
          <button>Post comment</button>
        </Form>
      ) : (
        <p>
          <a href="/login">Sign in</a> or <a href="/register">sign up</a> to comment.
        </p>
      )}
      {props.comments.map((each) => (
        <div class="comment">
          <p>{each.body}</p>
          <div class="meta">
            <Byline author={each.author} createdMs={each.createdMs} />
            {props.visitor?.username === each.author && (
              <Form submit={deleteComment} id={`delete-comment-${each.id}`} class="inline">
                <input type="hidden" name="id" value={String(each.id)} />
                <button class="small danger">Delete comment</button>
              </Form>
            )}
          </div>
        </div>
      ))}
    </section>
  );
}
