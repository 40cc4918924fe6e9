/** In-memory store of users, articles and comments, lost with the process. A database would offer the same functions. */
import { samples } from "./samples.ts";

export interface User {
  username: string;
  email: string;
  bio: string;
  /** Created by passwords.ts. */
  passwordHash: string;
  follows: Set<string>;
  favorites: Set<string>;
}

export interface Article {
  slug: string;
  title: string;
  description: string;
  body: string;
  tags: readonly string[];
  author: string;
  createdMs: number;
}

export interface Comment {
  id: number;
  slug: string;
  author: string;
  body: string;
  createdMs: number;
}

export interface Filter {
  tag?: string | undefined;
  author?: string;
  /** Only favorites of this user. */
  favoritedBy?: string;
  /** Only authors that this user follows. */
  followedBy?: string | undefined;
}

export type ArticleText = Pick<Article, "title" | "description" | "body" | "tags">;

const users = new Map<string, User>();
const articles = new Map<string, Article>();
const comments = new Map<number, Comment>();
let lastId = 0;

export const PAGE_SIZE = 10;

export function userNamed(username: string | undefined): User | undefined {
  return username === undefined ? undefined : users.get(username);
}

export function userByEmail(email: string): User | undefined {
  return [...users.values()].find((user) => user.email === email.toLowerCase());
}

export function addUser(user: Pick<User, "username" | "email" | "passwordHash"> & Partial<User>): User {
  const added = { bio: "", follows: new Set<string>(), favorites: new Set<string>(), ...user };
  users.set(added.username, { ...added, email: added.email.toLowerCase() });
  return users.get(added.username) ?? added;
}

/** Newest first. @param page from 1 */
export function findArticles(filter: Filter, page = 1): { articles: Article[]; pages: number } {
  const found = [...articles.values()].filter((article) => fits(article, filter));
  found.sort((a, b) => b.createdMs - a.createdMs);
  const from = (page - 1) * PAGE_SIZE;
  return { articles: found.slice(from, from + PAGE_SIZE), pages: Math.max(1, Math.ceil(found.length / PAGE_SIZE)) };
}

function fits(article: Article, { tag, author, favoritedBy, followedBy }: Filter): boolean {
  if (tag !== undefined && !article.tags.includes(tag)) return false;
  if (author !== undefined && article.author !== author) return false;
  if (favoritedBy !== undefined && !users.get(favoritedBy)?.favorites.has(article.slug)) return false;
  return followedBy === undefined || users.get(followedBy)?.follows.has(article.author) === true;
}

export function articleAt(slug: string): Article | undefined {
  return articles.get(slug);
}

export function addArticle(author: string, text: ArticleText, createdMs = Date.now()): Article {
  const slug = `${slugOf(text.title)}-${(++lastId).toString(36)}`;
  const article = { ...text, slug, author, createdMs };
  articles.set(slug, article);
  return article;
}

/** Keeps the slug, because others may have linked to it. */
export function changeArticle(slug: string, text: ArticleText): void {
  const article = articles.get(slug);
  if (article) Object.assign(article, text);
}

export function removeArticle(slug: string): void {
  articles.delete(slug);
  for (const comment of comments.values()) if (comment.slug === slug) comments.delete(comment.id);
  for (const user of users.values()) user.favorites.delete(slug);
}

export function favoritesOf(slug: string): number {
  return [...users.values()].filter((user) => user.favorites.has(slug)).length;
}

/** Adds the item, or removes it if present. */
export function toggle(set: Set<string>, item: string): void {
  if (!set.delete(item)) set.add(item);
}

export function commentsOn(slug: string): Comment[] {
  return [...comments.values()].filter((comment) => comment.slug === slug).reverse();
}

export function addComment(slug: string, author: string, body: string): void {
  const id = ++lastId;
  comments.set(id, { id, slug, author, body, createdMs: Date.now() });
}

export function commentAt(id: number): Comment | undefined {
  return comments.get(id);
}

export function removeComment(id: number): void {
  comments.delete(id);
}

/** The most frequent tags. */
export function popularTags(): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of articles.values()) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .map(([tag]) => tag)
    .slice(0, 12);
}

function slugOf(title: string): string {
  const words =
    title
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 60) || "article";
}

for (const { user, written } of samples()) {
  addUser(user);
  for (const { createdMs, ...text } of written) addArticle(user.username, text, createdMs);
}
