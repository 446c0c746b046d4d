import { useLocation } from "preact-iso/router";
import { filterOf } from "./filters.tsx";
import { WebhookList } from "./list.tsx";
import { NewWebhook } from "./new.tsx";
import { OpenedWebhook } from "./opened.tsx";

/** The list of webhooks; or the webhook or form that the address names. */
export default function Webhooks() {
  const { query } = useLocation();
  if (query.novo) return <NewWebhook />;
  if (!query.id) return <WebhookList />;
  return <OpenedWebhook key={query.id} id={query.id} filter={filterOf(query)} open={query.entrega ?? null} />;
}
