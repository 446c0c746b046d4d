/** The last replies of this tab, so that going back to a list shows it at once while it is read again. */

const MAX_REPLIES = 30;
const replies = new Map<string, unknown>();

export function rememberedReply<T>(path: string): T | undefined {
  return replies.get(path) as T | undefined;
}

export function rememberReply(path: string, reply: unknown): void {
  replies.delete(path);
  replies.set(path, reply);
  if (replies.size > MAX_REPLIES) replies.delete(replies.keys().next().value!);
}

/** Forgets all of them: another person or another workspace. */
export function forgetResources(): void {
  replies.clear();
}
