import { Button } from "../components/button.tsx";
import { Page } from "../components/page.tsx";
import { t } from "../strings/strings.ts";
import { CHOICES_PATH, Invitations } from "./invitations.tsx";
import { SignOutButton } from "./menu.tsx";
import { person } from "./session.ts";
import { useResource } from "./resource.ts";
import type { Choices } from "./types.ts";
import { chooseWorkspace } from "./workspace_choice.ts";
import { Loaded } from "../components/loaded.tsx";

/** Lets a person who belongs to several workspaces choose the workspace to open. */
export function ChooseWorkspace() {
  const choices = useResource<Choices>(CHOICES_PATH);
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
        <Invitations choices={choices} />
        <SignOutButton />
      </Page>
    </main>
  );
}

/** Tells a signed-in person that they belong to no workspace, and shows their open invitations. */
export function NoWorkspace({ onRetry }: { onRetry: () => void }) {
  const choices = useResource<Choices>(CHOICES_PATH);
  return (
    <main class="content narrow">
      <Page title={t("workspace.none")} text={t("workspace.none_text", { email: person.value?.email ?? "" })}>
        <Invitations choices={choices} />
        <div class="actions">
          <Button class="button primary" text={t("app.retry")} onClick={onRetry} />
          <SignOutButton />
        </div>
      </Page>
    </main>
  );
}
