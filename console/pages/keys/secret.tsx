import { href, supabaseUrl } from "../../app/mod.ts";
import type { CreatedKey } from "../../app/types.ts";
import { SecretBox } from "../../components/secret_box.tsx";
import { t } from "../../strings/strings.ts";

/** Shows the value of a key right after the key was created or rotated. */
export function KeySecret({ created }: { created: CreatedKey }) {
  return (
    <div class="stack form">
      <SecretBox
        title={t("keys.value")}
        value={created.key}
        snippet={exampleCall(created.key, created.scopes)}
      >
        {t("keys.value_text")}
      </SecretBox>
      <div class="actions">
        <a class="button" href={href("chaves/", { id: created.id })}>{t("keys.open")}</a>
      </div>
    </div>
  );
}

/** An example of a call that the key may make; undefined if the key may neither read records nor send leads. */
export function exampleCall(key: string, scopes: readonly string[]) {
  const text = commandOf(key, scopes);
  return text ? { title: t("keys.example"), text } : undefined;
}

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
