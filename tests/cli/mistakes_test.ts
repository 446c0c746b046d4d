import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { assertMistake, assertOneLine, crm } from "./crm.ts";

const NO_WORKSPACE = /No workspace has the id "0{8}-/;
const NO_KEY = /No key has the id/;
const NO_WEBHOOK = /No webhook subscription has the id/;
const NAME = /1 to 255 characters/;
const STAGE_FORM = /is not of the form <name>:<type>/;
const key = "key create --workspace ID --name Site --scopes";
const pipeline = "pipeline create --workspace ID --name Vendas --stages";
const member = "member add --workspace ID --name Ana --email";

/** Command line, exit code, error. In a command line, ID stands for an unknown id and "" for an empty argument. */
const MISTAKES: [line: string, code: 1 | 2, error: RegExp][] = [
  ["workspaces list", 2, /unknown command 'workspaces' \(Did you mean workspace\?\)/],
  ["workspace destroy", 2, /unknown command 'destroy'/],
  ["workspace list --jsn", 2, /unknown option '--jsn' \(Did you mean --json\?\)/],
  ["workspace list all", 2, /too many arguments/],
  ["workspace create", 2, /--name <name>' not specified/],
  ["workspace create --name", 2, /argument missing/],
  ['workspace create --name ""', 2, NAME],
  [`workspace create --name ${"a".repeat(256)}`, 2, NAME],
  ['workspace create --name A --admin-name ""', 2, NAME],
  ["workspace create --name A --admin-email ana", 2, /must be an e-mail address/],
  ["workspace update ID", 2, /nothing to change: give at least one of --name, --suspended, --public-api/],
  ["workspace update ID --suspended yes", 2, /true or false/],
  ["workspace update ID --rate-limit 0", 2, /whole number from 1 to 1000000/],
  ["workspace update ID --rate-limit 1e3", 2, /whole number from 1 to 1000000/],
  ["workspace update ID --stale-after-days 1.5", 2, /whole number from 1 to 3650/],
  ["workspace update ID --suspended true", 1, NO_WORKSPACE],
  ["workspace list --node 1", 1, /--node needs the address of a proxy/],
  ["workspace create --name A --node 1", 1, /--node needs the address of a proxy/],
  ["proxy add postgresql://h/x", 1, /not the address of a proxy/],
  ["workspace update ID --name A --node 1", 1, /--node needs the address of a proxy/],
  ["node list", 1, /not the address of a proxy/],
  ["node add localhost", 2, /must be an address of Postgres/],
  ["node add postgresql://a@127.0.0.1/b", 1, /FUNCTIONS_PASSWORD is not set/],
  ["workspace move ID --to 1", 1, /not the address of a proxy/],
  ["workspace move ID --to one", 2, /number of a node/],
  ["workspace update 7 --suspended true", 2, /'7' is invalid.* must be a UUID/],
  [`${member} ana@exemplo.com.br --role vendedor`, 1, NO_WORKSPACE],
  [`${member.replace("ID", "x")} ana@exemplo.com.br --role vendedor`, 2, /must be a UUID/],
  [`${member} ana --role vendedor`, 2, /must be an e-mail address/],
  [`${member} a@b.co --role chefe`, 2, /Allowed choices are vendedor, gestor, admin/],
  ["member update ID", 2, /nothing to change: give at least one of --active, --name, --role/],
  ["member update ID --active true", 1, /No member has the id/],
  [`${key} leads:write`, 1, NO_WORKSPACE],
  [`${key} leads:write,deals`, 2, /"deals" is not of the form <resource>:read/],
  [`${key} ""`, 2, /"" is not of the form/],
  [`${key} leads:delete`, 2, /"leads:delete" is not of the form/],
  [`${key} leads:write --expires-at 2027-02-30T00:00:00Z`, 2, /moment that exists/],
  [`${key} leads:write --expires-at amanhã`, 2, /moment that exists/],
  [`${key} leads:write --member ana`, 2, /must be a UUID/],
  ["key revoke ID", 1, NO_KEY],
  ["key rotate ID", 1, NO_KEY],
  ["key rotate ID --overlap 2h", 2, /Allowed choices are 0, 1h, 24h, 7d/],
  [`${pipeline} A:venda`, 1, NO_WORKSPACE],
  [`${pipeline} A`, 2, STAGE_FORM],
  [`${pipeline} A:venda,`, 2, STAGE_FORM],
  [`${pipeline} A:`, 2, STAGE_FORM],
  [`${pipeline} A:${"b".repeat(41)}`, 2, STAGE_FORM],
  [`${pipeline} :venda`, 2, /The name in ":venda" must have 1 to 255 characters/],
  ["pipeline update ID", 2, /nothing to change: give at least one of --active, --default/],
  ["pipeline update ID --default", 1, /No pipeline has the id/],
  ["stage update ID --active false", 1, /No stage has the id/],
  ["stage update ID --active 0", 2, /true or false/],
  ["loss-reason create --workspace ID --name x", 1, NO_WORKSPACE],
  ["loss-reason update ID --active true", 1, /No loss reason has the id/],
  ["proposal create --deal ID --title A", 1, /No deal has the id/],
  ["proposal create --deal ID --title A --value -1", 2, /It must be an amount such as 12500.50/],
  ["proposal create --deal ID --title A --value 1e3", 2, /It must be an amount/],
  ["proposal send ID", 1, /No proposal has the id/],
  ["webhook list --workspace ID", 1, NO_WORKSPACE],
  ["webhook test 1", 2, /must be a UUID/],
  ["webhook test ID", 1, NO_WEBHOOK],
  ["webhook rotate ID", 1, NO_WEBHOOK],
  ["webhook rotate ID --overlap 1.5h", 2, /whole number from 0 to 604800/],
  ["webhook recover ID", 2, /--since <time>' not specified/],
  ["webhook recover ID --since 2026-01-01", 1, NO_WEBHOOK],
  ["delivery list", 2, /--workspace <id>' not specified/],
  ["delivery list --workspace ID --state lost", 2, /must be one of pending, held/],
  ["delivery list --workspace ID --since now", 2, /must be a moment/],
  ["delivery retry --workspace ID", 1, NO_WORKSPACE],
  ["delivery redeliver", 2, /missing required argument/],
  ["delivery redeliver ID", 1, /No delivery has the id/],
  ["job run", 2, /missing required argument 'name'/],
  ["job run partition", 1, /No job is called "partition": the jobs are .*"partition-events", /],
];

Deno.test("A command reports a mistake in one line that says what was wrong and what is allowed", async () => {
  await Promise.all(MISTAKES.map(([line, code, error]) => {
    const args = line.split(" ").map((arg) => arg === "ID" ? UNKNOWN_ID : arg === '""' ? "" : arg);
    return assertMistake(args, code, error);
  }));
});

Deno.test("webhook rotate names WEBHOOK_ENCRYPTION_KEY if its value is not a key", async () => {
  const outcome = await crm(["webhook", "rotate", UNKNOWN_ID], { WEBHOOK_ENCRYPTION_KEY: "c2hvcnQ=" });
  assertOneLine(outcome, 1, /WEBHOOK_ENCRYPTION_KEY must be the base64 of 32 bytes/, "a short key");
});
