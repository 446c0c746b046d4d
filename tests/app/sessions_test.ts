// The list of the signed-in person's sessions.
import assert from "node:assert/strict";
import { startSession } from "../../run/local/auth/sessions.ts";
import { assertError } from "../support/client.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";

const SESSIONS = "/app-v1-workspace/sessions";

test("A person sees all their live sessions, the current one first and marked, and none of other people or of apps", async ({ sql, workspace: { id } }) => {
  const one = await signIn(sql, id, "vendedor");
  const stranger = await signIn(sql, id, "admin");
  const phone = await startSession(sql, one.userId, null, { userAgent: "Celular", ip: "203.0.113.7" });
  await sql`
    update auth.sessions set created_at = now() - interval '2 days',
      refreshed_at = (now() - interval '1 hour') at time zone 'utc'
    where id = ${phone.sessionId}`;
  const ended = await startSession(sql, one.userId);
  await sql`update auth.sessions set not_after = now() where id = ${ended.sessionId}`;
  await startSession(sql, one.userId, crypto.randomUUID());

  const { status, body } = await one.client.get(SESSIONS);
  assert.equal(status, 200);
  const seen = body.data.map(({ created_at: _, last_used_at: __, ...shown }: Record<string, unknown>) =>
    shown
  );
  assert.deepEqual(seen, [
    { id: one.sessionId, is_current: true, user_agent: null, ip: null },
    { id: phone.sessionId, is_current: false, user_agent: "Celular", ip: "203.0.113.7" },
  ]);
  const age = (at: string) => Math.round((Date.now() - Date.parse(at)) / 3_600_000);
  assert.deepEqual([age(body.data[1].created_at), age(body.data[1].last_used_at)], [48, 1]);

  const others = (await stranger.client.get(SESSIONS)).body.data;
  assert.deepEqual(others.map(({ id }: { id: string }) => id), [stranger.sessionId]);
  await sql`delete from auth.sessions where id = ${one.sessionId}`;
  assertError(await one.client.get(SESSIONS), "invalid_session");
});
