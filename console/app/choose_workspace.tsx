import { Loaded } from "../components/loaded.tsx";
import { Page } from "../components/page.tsx";
import { t } from "../strings/strings.ts";
import { SignOutButton } from "./menu.tsx";
import { person } from "./session.ts";
import { useResource } from "./resource.ts";
import type { Choice } from "./types.ts";
import { chooseWorkspace } from "./workspace_choice.ts";

/** Where a person who belongs to several workspaces chooses the first time. */
export function ChooseWorkspace() {
  const choices = useResource<{ data: Choice[] }>("app-v1-workspace/choices");
  return (
    <main class="content narrow">
      <Page title={t("workspace.choose")} text={t("workspace.choose_text")}>
        <Loaded resource={choices}>
          {({ data }) => (
            <ul class="choices">
              {data.map(({ id, name, role }) => (
                <li key={id}>
                  <button type="button" class="choice" onClick={() => chooseWorkspace(id)}>
                    <strong class="broken">{name}</strong>
                    <span>{t(`role.${role}`)}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        <SignOutButton />
      </Page>
    </main>
  );
}

/** Said to a person who is signed in and belongs to no workspace. */
export function NoWorkspace({ onRetry }: { onRetry: () => void }) {
  return (
    <main class="content narrow">
      <Page title={t("workspace.none")} text={t("workspace.none_text", { email: person.value?.email ?? "" })}>
        <div class="actions">
          <button type="button" class="button primary" onClick={onRetry}>{t("app.retry")}</button>
          <SignOutButton />
        </div>
      </Page>
    </main>
  );
}
