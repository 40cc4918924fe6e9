/** The page of an author, with their own articles or their favorites. */
import { href } from "svckit/fullstack";
import { ArticleList } from "./article-list.tsx";
import { Initial } from "./byline.tsx";
import { FollowButton } from "./follow-button.tsx";
import type { Article, User } from "./store.ts";

interface ProfileProps {
  user: User;
  visitor: User | undefined;
  articles: readonly Article[];
  isFavorites: boolean;
}

export function Profile(props: ProfileProps) {
  const { username, bio } = props.user;
  return (
    <>
      <div class="banner">
        <Initial username={username} />
        <h1>{username}</h1>
        {bio !== "" && <p>{bio}</p>}
        {props.visitor?.username === username ? (
          <a class="button small" href="/settings">
            Edit your profile
          </a>
        ) : (
          <FollowButton username={username} visitor={props.visitor} />
        )}
      </div>
      <section class="text" aria-label="Articles">
        <nav class="tabs" aria-label="Articles">
          <a href={href("/profile/[username]", { username })} aria-current={props.isFavorites ? undefined : "page"}>
            Written
          </a>
          <a
            href={href("/profile/[username]/favorites", { username })}
            aria-current={props.isFavorites ? "page" : undefined}
          >
            Favorites
          </a>
        </nav>
        <ArticleList
          articles={props.articles}
          pages={1}
          page={1}
          linkTo={() => ""}
          visitor={props.visitor}
          empty="No articles yet."
        />
      </section>
    </>
  );
}
