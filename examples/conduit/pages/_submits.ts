/** All forms of the app. */
import { fail, forbidden, notFound, redirect, type Context } from "svckit";
import { flash, href, submit } from "svckit/fullstack";
import * as v from "valibot";
import { hashPassword, isPassword } from "./_app/passwords.ts";
import {
  addArticle,
  addComment,
  addUser,
  articleAt,
  changeArticle,
  commentAt,
  removeArticle,
  removeComment,
  toggle,
  userByEmail,
  userNamed,
  type Article,
  type User,
} from "./_app/store.ts";
import { requireUser } from "./_app/visitor.ts";

const email = v.pipe(v.string(), v.trim(), v.email("Invalid e-mail address"));
const password = v.pipe(v.string(), v.minLength(8, "A password needs at least 8 characters"), v.maxLength(200));
/** Only paths of this site: `?to=` is untrusted input, and an open redirect would lead elsewhere. */
const path = v.optional(v.pipe(v.string(), v.regex(/^\/(?![/\\])/)), "/");

async function signIn(ctx: Context, user: User): Promise<void> {
  const session = await ctx.session();
  session.signIn("user", user.username);
}

export const login = submit(
  "login",
  // Slows down password guessing.
  { schema: v.object({ email, password: v.string(), to: path }), limit: { perMinute: 20 } },
  async (given, { ctx }) => {
    const user = userByEmail(given.email);
    if (!(await isPassword(given.password, user?.passwordHash)) || !user) fail("E-mail or password is wrong");
    await signIn(ctx, user);
    redirect(given.to);
  },
);

export const register = submit(
  "register",
  {
    schema: v.object({
      username: v.pipe(v.string(), v.trim(), v.regex(/^[\w-]{2,30}$/, "2 to 30 letters, digits, _ or -")),
      email,
      password,
    }),
    limit: { perMinute: 20 },
  },
  async ({ username, email: address, password: word }, { ctx }) => {
    if (userNamed(username)) refuse("username", "This name is taken");
    if (userByEmail(address)) refuse("email", "This address is already registered");
    const user = addUser({ username, email: address, passwordHash: await hashPassword(word) });
    await signIn(ctx, user);
    flash(ctx, `Welcome, ${username}`);
    redirect("/");
  },
);

function refuse(field: string, message: string): never {
  return fail(422, message, [{ path: [field], message }]);
}

export const logout = submit("logout", { schema: v.object({}) }, async (_, { ctx }) => {
  (await ctx.session()).destroy();
  redirect("/");
});

export const saveSettings = submit(
  "settings",
  {
    schema: v.object({
      email,
      bio: v.pipe(v.string(), v.maxLength(500)),
      password: v.union([v.literal(""), password]),
    }),
  },
  async (given, { ctx }) => {
    const user = await requireUser(ctx);
    const other = userByEmail(given.email);
    if (other && other !== user) refuse("email", "This address is already registered");
    Object.assign(user, { email: given.email.toLowerCase(), bio: given.bio });
    if (given.password !== "") user.passwordHash = await hashPassword(given.password);
    flash(ctx, "Saved");
    redirect(href("/profile/[username]", { username: user.username }));
  },
);

const text = (most: number, missing: string) => v.pipe(v.string(), v.trim(), v.nonEmpty(missing), v.maxLength(most));

export const saveArticle = submit(
  "article",
  {
    schema: v.object({
      slug: v.optional(v.string(), ""),
      title: text(120, "Enter a title"),
      description: text(200, "Describe the article in one sentence"),
      body: text(50_000, "Enter the text of the article"),
      tags: v.optional(v.pipe(v.string(), v.maxLength(200)), ""),
    }),
  },
  async ({ slug, tags, ...written }, { ctx }) => {
    const user = await requireUser(ctx);
    const known = slug === "" ? undefined : ownArticle(slug, user);
    const given = { ...written, tags: [...new Set(tags.toLowerCase().match(/[\p{L}\d-]+/gu) ?? [])].slice(0, 8) };
    if (known) changeArticle(known.slug, given);
    const article = known ?? addArticle(user.username, given);
    flash(ctx, known ? "Changed" : "Published");
    redirect(href("/article/[slug]", { slug: article.slug }));
  },
);

const bySlug = v.object({ slug: v.string() });

export const deleteArticle = submit("delete-article", { schema: bySlug }, async ({ slug }, { ctx }) => {
  removeArticle(ownArticle(slug, await requireUser(ctx)).slug);
  flash(ctx, "Deleted");
  redirect("/");
});

function ownArticle(slug: string, user: User): Article {
  const article = articleAt(slug) ?? notFound("This article no longer exists");
  if (article.author !== user.username) forbidden();
  return article;
}

export const markArticle = submit("mark-article", { schema: bySlug }, async ({ slug }, { ctx }) => {
  const user = await requireUser(ctx);
  if (articleAt(slug)) toggle(user.favorites, slug);
});

export const follow = submit(
  "follow",
  { schema: v.object({ username: v.string() }) },
  async ({ username }, { ctx }) => {
    const user = await requireUser(ctx);
    if (userNamed(username) && username !== user.username) toggle(user.follows, username);
  },
);

export const comment = submit(
  "comment",
  { schema: v.object({ slug: v.string(), body: text(2000, "Write something first") }) },
  async ({ slug, body }, { ctx }) => {
    const user = await requireUser(ctx);
    if (!articleAt(slug)) notFound("This article no longer exists");
    addComment(slug, user.username, body);
  },
);

export const deleteComment = submit(
  "delete-comment",
  { schema: v.object({ id: v.number() }), fields: { id: "number" } },
  async ({ id }, { ctx }) => {
    const user = await requireUser(ctx);
    if (commentAt(id)?.author !== user.username) forbidden();
    removeComment(id);
  },
);
