/** Keeps the last replies in this tab, so that a list that is opened again appears at once. */

const MAX_REPLIES = 30;
const replies = new Map<string, unknown>();

/** The last reply to a path; undefined if there is none. */
export function rememberedReply<T>(path: string): T | undefined {
  return replies.get(path) as T | undefined;
}

/** Remembers a reply; forgets the oldest if there are more than MAX_REPLIES. */
export function rememberReply(path: string, reply: unknown): void {
  replies.delete(path);
  replies.set(path, reply);
  if (replies.size > MAX_REPLIES) replies.delete(replies.keys().next().value!);
}

/** Forgets all replies when the workspace changes. When another person signs in, the page is reloaded instead. */
export function forgetResources(): void {
  replies.clear();
}
