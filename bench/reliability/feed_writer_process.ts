/**
 * Creates contacts in transactions of random length until it is killed. Some transactions are rolled back, and some
 * stay open while others begin and end. Arguments: the address of the database, the workspace, the member who owns the
 * contacts.
 */
import { pause } from "../harness/waiting.ts";
import { connect } from "../harness/world.ts";

const ROLLED_BACK_SHARE = 0.1;
/** The longest pause after each statement: 300 ms in 3 % of transactions, 20 ms in 22 %. `share` is cumulative. */
const PAUSES = [{ share: 0.03, ms: 300 }, { share: 0.25, ms: 20 }, { share: 1, ms: 0 }];

const [databaseUrl, workspaceId, memberId] = Deno.args as [string, string, string];
const sql = connect(databaseUrl);
const undo = new Error("undone");
const upTo = (most: number) => 1 + Math.floor(Math.random() * most);

for (let transactions = 0;; transactions++) {
  const chance = Math.random();
  const { ms } = PAUSES.find(({ share }) => chance < share)!;
  await sql.begin(async (sql) => {
    let made = 0;
    for (let statements = upTo(6); statements > 0; statements--) {
      const count = upTo(12);
      // The name says which transaction created the contact, and the contact's place in that transaction.
      await sql`
        insert into crm.contacts (workspace_id, name, owner_id)
        select ${workspaceId}, ${`${Deno.pid} ${transactions}`}::text || ' ' || ${made}::int + n, ${memberId}
        from generate_series(1, ${count}::int) n`;
      made += count;
      if (ms > 0) await pause(Math.random() * ms);
    }
    if (Math.random() < ROLLED_BACK_SHARE) throw undo;
  }).catch((error) => {
    if (error !== undo) throw error;
  });
}
