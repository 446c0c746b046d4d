import type { Server } from "../../harness/functions.ts";
import { startReceiver } from "../../harness/receiver.ts";
import { pause } from "../../harness/waiting.ts";
import { startScheduler } from "../../../run/local/scheduler.ts";
import { insertSubscription } from "../../reliability/queue.ts";
import { openLoadWorld } from "../load/world.ts";
import type { Sizes } from "../load/workspaces.ts";

/** Number of receivers. The dispatcher counts each as a separate host, like the receivers of different customers. */
const RECEIVERS = 8;
const ANSWER_MS = 20;
/** The event types of the subscriptions. A new contact causes one event, a lead with a new contact two. */
const EVENTS = ["contact.created", "lead.received"] as const;

export type LifeWorld = Awaited<ReturnType<typeof openLifeWorld>>;

/**
 * Starts receivers and a whole deployment: the functions, the jobs, and Postgres with workspaces that each have a
 * subscription. The functions poke a dispatcher in its own process, as on Supabase.
 */
export async function openLifeWorld(sizes: Sizes) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openLoadWorld(sizes));
  const { sql, workspaces, secrets, databaseUrl, folder, serve } = world;
  const receiver = await startReceiver(
    folder,
    async (request) => {
      await request.arrayBuffer();
      await pause(ANSWER_MS);
      return new Response(null, { status: 200 });
    },
    Array.from({ length: RECEIVERS }, (_, index) => `127.0.0.${index + 1}`),
  );
  stack.defer(() => receiver.close());
  const { webhook_encryption_key: encryptionKey, webhook_dispatcher_secret: dispatcherSecret } = secrets;
  for (const [index, { id }] of workspaces.entries()) {
    const targetUrl = `${receiver.origins[index % RECEIVERS]!}/hooks`;
    await insertSubscription(sql, id, { targetUrl, eventTypes: [...EVENTS], encryptionKey });
  }
  const env = { WEBHOOK_ENCRYPTION_KEY: encryptionKey, WEBHOOK_DISPATCHER_SECRET: dispatcherSecret };
  const dispatcher: Server = stack.use(await serve({ ...receiver.env, ...env }));
  const { origin } = new URL(dispatcher.baseUrl);
  const functions: Server = stack.use(await serve({ ...env, DISPATCHER_ORIGIN: origin }));
  const scheduler = startScheduler({ databaseUrl, origin, dispatcherSecret });
  stack.defer(() => scheduler.close());
  const opened = stack.move();
  return { ...world, functions, dispatcher, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
