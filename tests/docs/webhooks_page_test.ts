import assert from "node:assert/strict";
import { createProgram } from "../../run/cli/program.ts";
import { signature } from "../../supabase/functions/webhook-dispatcher/sign.ts";
import { openMailbox } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { test } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { subscribe } from "../support/webhooks.ts";
import { openPage, sitePages } from "./claims.ts";
import { shell } from "./guide.ts";
import { CURL_FAILS, openReader } from "./reader.ts";

const page = await openPage("webhooks", { http: 1, json: 1, sh: 6, sql: 1, text: 1 });
const { blocks } = page;
/** The last command computes a signature; the commands before it call the API. */
const [calls, signing] = [blocks.sh.slice(0, -1), blocks.sh.at(-1)!];

test("The webhooks page shows the header names and body fields of a real delivery", async ({ workspace: { key }, api }) => {
  const mailbox = openMailbox();
  await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post("/api-v1-contacts", { name: "João" });
  const { body, headers } = (await mailbox.waitFor(1))[0]!;
  const shown = JSON.parse(blocks.json[0]!);
  assert.deepEqual(Object.keys(shown), Object.keys(body));
  assert.deepEqual(Object.keys(shown.data), Object.keys(body.data));
  const names = [...blocks.http[0]!.matchAll(/^(X-Service-[\w-]+): /gm)].map(([, name]) =>
    name!.toLowerCase()
  );
  assert.deepEqual([...headers.keys()].filter((name) => name.startsWith("x-service-")).sort(), names.sort());
});

test("Each forbidden target on the webhooks page is refused with the message that the page shows", async ({ api }) => {
  for (const text of [page.pt, page.en]) {
    const rows = [...text.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)]
      .filter(([, target]) => target!.includes("/hook"));
    assert.equal(rows.length, 7);
    for (const [, target_url = "", message = ""] of rows) {
      const { status, body } = await api.post("/api-v1-webhooks", { event_types: ["deal.won"], target_url });
      assert.equal(status, 422, target_url);
      assert.equal(body.error.code, "invalid_target_url", target_url);
      assert.deepEqual(body.error.details, [{ field: "target_url", message }], target_url);
    }
  }
});

test("The SQL on the webhooks page stores a repeated delivery once", async ({ sql }) => {
  const [create, insert] = blocks.sql[0]!.split(";").map((statement) => statement.trim());
  const id = crypto.randomUUID();
  const counts: number[] = [];
  await sql.begin(async (tx) => {
    await tx.unsafe("create schema page_of_webhooks; set local search_path = page_of_webhooks");
    await tx.unsafe(create!);
    for (let time = 1; time <= 2; time++) {
      counts.push((await tx.unsafe(insert!, [id, '{"event": "deal.won"}'])).count);
    }
    await tx.unsafe("drop schema page_of_webhooks cascade");
  });
  assert.deepEqual(counts, [1, 0]);
});

Deno.test("Every command that the webhooks page names exists", () => {
  for (const text of [page.pt, page.en]) {
    const named = [...text.matchAll(/`deno task crm\s+(\w+) (\w+) /g)];
    assert.ok(named.length >= 9);
    for (const [text, group, name] of named) {
      const found = createProgram().commands.find((command) => command.name() === group)?.commands;
      assert.ok(found?.some((command) => command.name() === name), text);
    }
  }
});

shell.test("The curls of the webhooks page work as pasted, deliver a test event, and leave no subscription behind", async ({ workspace, sql }) => {
  const mailbox = openMailbox();
  await using reader = await openReader(baseUrl, workspace.key, { TARGET: mailbox.url });
  const printed = (await reader.run([CURL_FAILS, ...calls].join("\n"))).join("\n");
  const { body } = (await mailbox.waitFor(1))[0]!;
  assert.deepEqual([body.event, body.test], ["contact.created", true]);
  assert.match(printed, /"state" *: *"delivered"/);
  const [, secret] = /"secret" *: *"(whsec_[^"]+)"/.exec(printed)!;
  assert.match(printed, new RegExp(`^${secret}$`, "m"));
  const rows = await sql`
        select is_active from crm.webhook_subscriptions where workspace_id = ${workspace.id}`;
  assert.deepEqual(rows.map((row) => row["is_active"]), [false]);
});

test("The pages that say for how long a delivery is retried give the sum of the schedule's waits", async ({ sql }) => {
  const [row] = await sql`
    select sum(extract(epoch from crm.retry_delay(attempt)))::float8 as seconds from generate_series(1, 4) attempt`;
  const hours = row!["seconds"] / 3600;
  assert.ok(hours > 6.5 && hours < 6.75, `${hours} hours`);
  for (const slug of ["limits", "events"]) {
    const { pt, en } = (await sitePages()).find((page) => page.slug === slug)!;
    assert.ok(pt.includes("em pouco mais de 6 horas e meia"), slug);
    assert.ok(en.includes("in a little over 6½ hours"), slug);
  }
});

Deno.test(needing(["sh", "openssl", "sed"], {
  name:
    "The command on the webhooks page computes the signature that the page shows, as the dispatcher does (spec 6.4)",
  fn: async () => {
    await using reader = await openReader(baseUrl, "");
    const shown = blocks.text[0]!.trimEnd();
    assert.deepEqual(await reader.run(signing), [shown]);
    // The dispatcher must compute the same signature from the command's three values.
    const value = (name: string) => new RegExp(`^${name}='?(.*?)'?$`, "m").exec(signing)![1]!;
    const body = new TextEncoder().encode(value("BODY"));
    assert.equal(`sha256=${signature(value("SECRET"), Number(value("TIMESTAMP")), body)}`, shown);
  },
}));
