import { supabaseUrl } from "../../app/mod.ts";
import { SecretBox } from "../../components/secret_box.tsx";
import { t } from "../../strings/strings.ts";

/** Shows the value of a key right after the key was created or rotated, with an example of a call. */
export function KeySecret({ title, value, scopes }: {
  title: string;
  value: string;
  scopes: readonly string[];
}) {
  const text = commandOf(value, scopes);
  return (
    <div class="form above">
      <SecretBox title={title} value={value} snippet={text ? { title: t("keys.example"), text } : undefined}>
        {t("keys.value_text")}
      </SecretBox>
    </div>
  );
}

/** An example of a call that the key may make; null if the key may neither read records nor send leads. */
function commandOf(key: string, scopes: readonly string[]): string | null {
  const base = `${supabaseUrl}/functions/v1/api-v1-`;
  if (scopes.includes("leads:write")) {
    return `curl -X POST ${base}leads \\
  -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\
  -d '{"first_name": "Ana", "email": "ana@exemplo.com.br"}'`;
  }
  const readable = scopes.find((scope) => scope.endsWith(":read"))?.split(":")[0] ??
    (scopes.includes("webhooks:manage") ? "webhooks" : null);
  return readable && `curl ${base}${readable} -H 'X-API-Key: ${key}'`;
}
