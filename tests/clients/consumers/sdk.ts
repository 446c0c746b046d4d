// Uses of the SDK's types that must compile. A line `@ts-expect-error` fails if a type allows the mistake below it.
import { type Contact, Crm, CrmError, verifyWebhook } from "@crm-api/sdk";

export async function use(crm: Crm, form: { email?: string }): Promise<number | null> {
  // An optional field of a form may be undefined.
  const { id } = await crm.contacts.create({ name: "Ana", email: form.email });
  // @ts-expect-error -- a misspelt field
  await crm.contacts.create({ name: "Ana", e_mail: "ana@exemplo.com.br" });
  // @ts-expect-error -- a contact needs a name
  await crm.contacts.create({ email: "ana@exemplo.com.br" });
  const target_url = "https://example.com/crm";
  // @ts-expect-error -- an unknown event
  await crm.webhooks.create({ event_types: ["deal.eaten"], target_url });
  // @ts-expect-error -- creating a subscription honours no Idempotency-Key
  await crm.webhooks.create({ event_types: ["deal.won"], target_url }, { idempotencyKey: "a" });
  const found: Contact[] = [];
  for await (const contact of crm.contacts.list({ email: "ana@exemplo.com.br" })) found.push(contact);
  const newer = await crm.contacts.get(id, { ifNoneMatch: '"a"' });
  // @ts-expect-error -- null if the record has not changed
  newer.name;
  const again = { ifNoneMatch: contactOf(found), signal: AbortSignal.timeout(1_000) };
  const same = await crm.contacts.get(id, again);
  // @ts-expect-error -- also null if the options are in a variable
  same.name;
  await crm.contacts.batch(found.map(({ id }) => ({ op: "update", id, data: { job_title: "Diretora" } })));
  for await (const { events } of crm.sync({ event_types: ["deal.won"] })) {
    // Only deal.won events are read, so the data needs no narrowing.
    for (const { data } of events) return data?.value ?? null;
  }
  return null;
}

function contactOf(contacts: Contact[]): Contact {
  const [contact] = contacts;
  if (!contact) throw new Error("none");
  return contact;
}

export async function receive(raw: string, headers: Headers): Promise<string> {
  try {
    const delivery = await verifyWebhook(raw, headers, "whsec_exemplo");
    if (delivery.event === "contact.merged") return delivery.data.merged_contact_id;
    // @ts-expect-error -- only contact.merged has this field
    return delivery.data.merged_contact_id;
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    // @ts-expect-error -- an unknown code
    if (error.code === "invalid_emial") return "";
    return error.code === "stale_delivery" ? error.details[0]?.field ?? "" : "";
  }
}
