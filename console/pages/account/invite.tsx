import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { call, clearDraft, draftOf, href, mayAdminister, role, useAction } from "../../app/mod.ts";
import type { InvitedMember, Role } from "../../app/types.ts";
import { FailureNote, Field, focusRefused, Page, say } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { RoleField } from "./role_field.tsx";

const DRAFT = "invitation";
const NOTHING = { name: "", email: "", role: "vendedor" as Role };

/** The form that adds a member, who then gets an invitation by e-mail. */
export function InviteForm() {
  const { route } = useLocation();
  const draft = draftOf(DRAFT, NOTHING);
  const { busy, failure, run } = useAction();
  const missing = useSignal<"name" | "email" | null>(null);
  const back = <a href={href("conta/")}>{t("members.back")}</a>;
  if (role.value !== null && !mayAdminister.value) {
    return (
      <Page title={t("members.invite_title")} back={back}>
        <p>{t("role.admin_only")}</p>
      </Page>
    );
  }
  const { name, email } = draft.value;
  const change = (changed: Partial<typeof NOTHING>) => {
    draft.value = { ...draft.value, ...changed };
    missing.value = null;
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    failure.value = null;
    missing.value = name.trim() === "" ? "name" : /^\S+@\S+\.\S+$/.test(email.trim()) ? null : "email";
    if (missing.value) return focusRefused(form);
    await run(async () => {
      const member = await call<InvitedMember>("POST", "app-v1-members", {
        body: { name: name.trim(), email: email.trim(), role: draft.value.role },
      });
      clearDraft(DRAFT);
      say(t(member.invitation_sent ? "members.invited" : "members.not_sent", member));
      // A person who has gone to another page meanwhile stays there.
      if (form.isConnected) route(href("conta/"), true);
    });
    if (failure.peek()) focusRefused(form);
  };
  const refused = failure.value?.fields ?? {};
  return (
    <Page title={t("members.invite_title")} back={back}>
      <form class="stack form" onSubmit={submit} noValidate>
        <p>{t("members.invite_text")}</p>
        <Field
          label={t("members.name")}
          error={missing.value === "name" ? t("members.name_missing") : refused.name}
          maxLength={255}
          value={name}
          onInput={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <Field
          label={t("members.email")}
          error={missing.value === "email" ? t("members.email_missing") : refused.email}
          type="email"
          maxLength={255}
          value={email}
          onInput={({ currentTarget }) => change({ email: currentTarget.value })}
        />
        <RoleField role={draft.value.role} onChange={(role) => change({ role })} error={refused.role} />
        {failure.value && <FailureNote failure={failure.value} />}
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy.value}>
            {t(busy.value ? "app.sending" : "members.invite_yes")}
          </button>
          <a class="button" href={href("conta/")} onClick={() => clearDraft(DRAFT)}>{t("app.cancel")}</a>
        </div>
      </form>
    </Page>
  );
}
