import { useSignal } from "@preact/signals";
import { call, href, supabaseUrl, useResource, workspace } from "../../app/mod.ts";
import { APPS_PATH, forgetApproval } from "../../app/approvals.ts";
import type { Grant, GrantList } from "../../app/types.ts";
import {
  ActionDialog,
  Button,
  CopyButton,
  Empty,
  Loaded,
  Moment,
  Page,
  say,
  Table,
} from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { scopesText } from "./scopes.ts";

/** The apps that act for the person (an admin sees those of all members), and the address for connecting an app. */
export function GrantedApps() {
  const apps = useResource<GrantList>(APPS_PATH);
  const revoked = useSignal<Grant | null>(null);
  const address = `${supabaseUrl}/functions/v1/mcp`;
  return (
    <Page title={t("apps.title")} back={<a href={href("chaves/")}>{t("keys.back")}</a>}>
      <div class="stack">
        {/* Placed above the list, which would push the address down when it arrives. */}
        <div>
          <p>{t("apps.connect")}</p>
          <p class="snippet address">
            <code class="broken">{address}</code> <CopyButton text={address} quiet />
          </p>
        </div>
        <Loaded resource={apps}>
          {({ data }) =>
            data.length === 0 ? <Empty text={t("apps.none")} /> : (
              <Table
                label={t("apps.title")}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: t("apps.app"),
                    cell: ({ client_name }) => (
                      <strong class="clamped" title={client_name}>{client_name}</strong>
                    ),
                  },
                  { title: t("keys.scopes"), cell: ({ scopes }) => <span>{scopesText(scopes)}</span> },
                  {
                    title: t("apps.member"),
                    cell: ({ member }) => <span class="clamped">{member.name}</span>,
                  },
                  { title: t("account.since"), cell: ({ created_at }) => <Moment at={created_at} /> },
                  { title: t("keys.last_used"), cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
                ]}
                actions={(grant) => (
                  <Button
                    class="link dangerous"
                    text={t("keys.revoke")}
                    of={grant.client_name}
                    onClick={() => revoked.value = grant}
                  />
                )}
              />
            )}
        </Loaded>
      </div>
      {revoked.value && (
        <Revoke
          grant={revoked.value}
          onDone={({ id }) => {
            const { data, ...rest } = apps.data.value!;
            apps.set({ ...rest, data: data.filter((grant) => grant.id !== id) });
          }}
          onClose={() => revoked.value = null}
        />
      )}
    </Page>
  );
}

function Revoke({ grant, onDone, onClose }: {
  grant: Grant;
  onDone: (grant: Grant) => void;
  onClose: () => void;
}) {
  return (
    <ActionDialog
      title={t("apps.revoke_title")}
      yes={t("apps.revoke_yes")}
      dangerous
      onClose={onClose}
      onSubmit={async () => {
        await call("POST", `${APPS_PATH}/${grant.id}/revoke`);
        if (grant.member.id === workspace.value?.member.id) {
          // Ignore an error: the grant has ended, and the consent page will withdraw the approval if this call failed.
          await forgetApproval(grant.client_id).catch(() => {});
        }
        onDone(grant);
        say(t("apps.revoked"));
      }}
    >
      <p class="clamped">{grant.client_name}</p>
      <p>{t("apps.revoke_text")}</p>
    </ActionDialog>
  );
}
