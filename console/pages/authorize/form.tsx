import { useSignal } from "@preact/signals";
import { call, chosenWorkspace, useAction } from "../../app/mod.ts";
import { type AppRequest, APPS_PATH } from "../../app/approvals.ts";
import { person } from "../../app/session.ts";
import { Button, Fact, FailureNote, focusRefused, Page, Select } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { APP_PRESETS, WORK } from "../keys/presets.ts";
import { ScopeFields } from "../keys/scope_fields.tsx";
import { type Offer, targetOf } from "./request.ts";

/** The longest name that a grant takes; Supabase Auth allows longer names. */
const LONGEST_NAME = 255;

/** Shows what an app asks for. The person chooses the workspace and the scopes to allow. */
export function ConsentForm({ request: { client, redirect_uri }, offers, answer }: {
  request: Extract<AppRequest, { client: unknown }>;
  offers: Offer[];
  answer: (action: "approve" | "deny") => Promise<void>;
}) {
  const workspace = useSignal((offers.find(({ id }) => id === chosenWorkspace.value) ?? offers[0]!).id);
  const chosen = useSignal(WORK.scopes);
  const { busy, failure, run } = useAction();
  const missing = useSignal(false);
  const offered = offers.find(({ id }) => id === workspace.value)!.scopes;
  const scopes = chosen.value.filter((scope) => offered.includes(scope));
  const target = targetOf(redirect_uri);
  const name = (client.name ?? "").trim().slice(0, LONGEST_NAME) || target.host;

  const allow = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget;
    missing.value = scopes.length === 0;
    if (missing.value) return focusRefused(form);
    await run(async () => {
      // The grant is stored before the approval, so that the app's first call finds it.
      await call("POST", APPS_PATH, {
        workspace: workspace.value,
        body: { client_id: client.id, client_name: name, scopes },
      });
      await answer("approve");
    });
  };
  return (
    <Page title={t("authorize.title", { app: name })}>
      <form class="stack" onSubmit={allow} noValidate>
        <p class="note waits broken">{t("authorize.warning", { email: person.value?.email ?? "" })}</p>
        <dl class="facts">
          <Fact name={t("authorize.target")}>
            <strong class="broken">
              {target.isHere ? t("authorize.here", { address: target.host }) : target.host}
            </strong>
          </Fact>
          {offers.length === 1 && <Fact name={t("menu.workspace")}>{offers[0]!.name}</Fact>}
        </dl>
        {offers.length > 1 && (
          <Select
            label={t("menu.workspace")}
            value={workspace.value}
            onChange={({ currentTarget }) => workspace.value = currentTarget.value}
            options={offers.map(({ id, name }) => ({ value: id, text: name }))}
          />
        )}
        <ScopeFields
          legend={t("authorize.scopes")}
          scopes={scopes}
          offered={offered}
          presets={APP_PRESETS}
          onChange={(scopes) => {
            chosen.value = scopes;
            missing.value = false;
          }}
          error={missing.value ? t("keys.scopes_missing") : failure.value?.fields.scopes}
        />
        <p class="hint">{t("authorize.undo")}</p>
        {failure.value && <FailureNote failure={failure.value} />}
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy.value}>{t("authorize.allow")}</button>
          <Button
            text={t("authorize.deny")}
            disabled={busy.value}
            onClick={() => run(() => answer("deny"))}
          />
        </div>
      </form>
    </Page>
  );
}
