/** Form posts on an agent or a webhook. */
import type { Fragment } from "postgres";
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import type { Deps } from "../../../platform/deps.ts";
import type { Flash } from "../frame/flash.ts";
import { onPost, type PageContext, type PostRules } from "../frame/handler.ts";

type ToQuery<Data> = (deps: Deps, caller: SqlCaller, id: string, data: Data) => Fragment;
/** Flash message of a post. `to`: the next page, in place of the item's. */
type Done<Data> = (data: Data, href: string) => Flash & { to?: string };

/** Returns a function that makes handlers of posts, each by a query of the item's resource. */
export const postsOn =
  (
    idOf: (view: PageContext) => string,
    pathOf: (item: { id: string }) => string,
    common: Pick<PostRules, "retry"> = {},
  ) =>
  <Data>(rules: PostRules<Data>, toQuery: ToQuery<Data>, done: Done<Data>) =>
    onPost({ ...common, ...rules }, async (post) => {
      const id = idOf(post);
      await post.queries.run((caller) => toQuery(post.deps, caller, id, post.data));
      const to = pathOf({ id });
      return { to, ...done(post.data, to) };
    });
