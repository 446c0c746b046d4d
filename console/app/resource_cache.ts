/** The last replies of this tab, so that going back to a list shows it at once while it is read again. */

const MAX_REPLIES = 30;
const replies = new Map<string, unknown>();

/** The last reply to a path; undefined if there was none lately. */
export function rememberedReply<T>(path: string): T | undefined {
  return replies.get(path) as T | undefined;
}

/** Remembers a reply, and forgets the oldest of too many. */
export function rememberReply(path: string, reply: unknown): void {
  replies.delete(path);
  replies.set(path, reply);
  if (replies.size > MAX_REPLIES) replies.delete(replies.keys().next().value!);
}

/** Forgets all of them: another person or another workspace. */
export function forgetResources(): void {
  replies.clear();
}
