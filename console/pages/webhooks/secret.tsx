import { SecretBox } from "../../components/secret_box.tsx";
import { t } from "../../strings/strings.ts";
import { verifySnippet } from "./snippet.ts";

/** Shows the secret of a webhook right after the secret was created or replaced. */
export function WebhookSecret({ title, secret, more }: { title: string; secret: string; more?: string }) {
  return (
    <div class="form above">
      <SecretBox
        title={title}
        value={secret}
        snippet={{ title: t("secret.snippet"), text: verifySnippet(secret) }}
      >
        {t("secret.text")} {more}
      </SecretBox>
    </div>
  );
}
