// An erasure clears what receivers of webhooks answered about the person.
import assert from "node:assert/strict";
import { openMailbox } from "../../support/mailbox.ts";
import { test } from "../../support/scenario.ts";
import { addDeliveries, subscribe } from "../../support/webhooks.ts";

test("An erasure clears exactly the answers that mention the person, even escaped or in another letter case", async ({ sql, workspace, api }) => {
  const { id: subscription } = await subscribe(workspace.key, openMailbox().url, ["deal.won"]);
  const { body: contact } = await api.post("/api-v1-contacts", {
    name: "Zuleíca Quaresma",
    email: "zuleica@exemplo.com",
    phone: "+55 11 91234-5678",
  });
  const answers = [
    "Obrigado, ZULEICA QUARESMA",
    '{"nome":"Zule\\u00edca\\nQuaresma"}',
    "unknown contact zuleica@exemplo.com",
    "numero 011 91234 5678 recusado",
    '{"error":"unknown event"}',
    "ok",
    '{"path":"C:\\\\dir\\u0000","emoji":"\\ud83d\\ude00"}',
  ];
  // Adds more attempts than one step of an erasure reads.
  const ids = await addDeliveries(sql, workspace.id, subscription, {
    count: 1_100,
    states: ["delivered"],
    events: ["deal.won"],
  });
  const rows = ids.map((id, n) => ({ id, answer: answers[n % answers.length]! }));
  await sql`
    insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms, answer)
    select ${workspace.id}, r.id::uuid, 1, 1, 200, 5, r.answer
    from json_to_recordset(${JSON.stringify(rows)}::text::json) r (id text, answer text)`;

  const { body } = await api.post(`/api-v1-contacts/${contact.id}/erase`);
  const kept = await sql<{ answer: string | null }[]>`
    select a.answer from crm.webhook_attempts a where a.workspace_id = ${workspace.id} order by a.delivery_id`;
  const expected = rows.map(({ answer }) => answers.indexOf(answer) < 4 ? null : answer);
  assert.deepEqual(kept.map(({ answer }) => answer), expected);
  assert.equal(body.cleared.webhook_answers, expected.filter((answer) => answer === null).length);
});
