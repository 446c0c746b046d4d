import { openAccessTokens } from "../../../run/local/auth/access_tokens.ts";
import { installAuthSchema } from "../../../run/local/auth/schema.ts";
import { generateSigningKey } from "../../../run/local/auth/signing_key.ts";
import { makeMember, signInAs } from "../../harness/sessions.ts";
import type { Subject } from "../../harness/subject.ts";
import { WORKSPACE_HEADER } from "../../../supabase/functions/_shared/http/gates.ts";
import { attackNeighbours, giveDeals, ISOLATE, openAttackWorld } from "../world.ts";

const CONNECTIONS = 64;
/** Enough that the limit of each, 600 calls a minute, ends none of them during the attack. */
const SESSIONS = 12;
const SPELLINGS = 500;
const DEALS = 100_000;

/** Sessions of a workspace with a large funnel, whose id is spelled as it is shown and in another way in turns. */
export const letterCase: Subject = {
  name: "letter-case",
  title:
    `${CONNECTIONS} connections call with ${SESSIONS} sessions, and ${SPELLINGS} spellings of their workspace`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const { id, contactIds } = world.workspaces[1]!;
    await giveDeals(world, contactIds.slice(0, 1), DEALS);
    await installAuthSchema(world.sql);
    const tokens = await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1");
    const sessions: string[] = [];
    while (sessions.length < SESSIONS) {
      const { session } = await signInAs(world.sql, tokens, await makeMember(world.sql, id, "admin"));
      sessions.push(session);
    }
    await using server = await world.serve({ ...ISOLATE, SUPABASE_JWKS: JSON.stringify(tokens.jwks) });
    const requests = Array.from({ length: SPELLINGS }, (_, spelling) => ({
      method: "GET",
      path: "/app-v1-funnel",
      headers: {
        "Authorization": `Bearer ${sessions[spelling % SESSIONS]}`,
        [WORKSPACE_HEADER]: spell(id, spelling >> 4 & 1 ? spelling : 0),
      },
    }));
    const order = { connections: CONNECTIONS, requests };
    return await attackNeighbours("Letter case", world, server, order, conditions);
  },
};

/** Writes the letters in upper case whose bit in the number is set. */
function spell(id: string, bits: number): string {
  let letter = 0;
  return id.replaceAll(/[a-f]/g, (small) => bits >> letter++ & 1 ? small.toUpperCase() : small);
}
