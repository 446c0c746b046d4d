import { Button } from "../components/button.tsx";
import { FailureNote } from "../components/failure_note.tsx";
import { t } from "../strings/strings.ts";
import { call } from "./api.ts";
import type { Resource } from "./resource.ts";
import type { Choices } from "./types.ts";
import { useAction } from "./use_action.ts";
import { chooseWorkspace } from "./workspace_choice.ts";

export const CHOICES_PATH = "app-v1-workspace/choices";

/** The open invitations. Accepting one opens its workspace. */
export function Invitations({ choices }: { choices: Resource<Choices> }) {
  const { busy, failure, run } = useAction();
  const invitations = choices.data.value?.invitations ?? [];
  if (invitations.length === 0) return null;
  const answer = (id: string, verb: "accept" | "decline") =>
    run(async () => {
      choices.set(await call<Choices>("POST", `app-v1-workspace/invitations/${id}/${verb}`));
    });
  return (
    <section class="section">
      <h2>{t("invitations.title")}</h2>
      {failure.value && <FailureNote failure={failure.value} />}
      {invitations.map(({ id, workspace_id, workspace_name, role }) => (
        <div key={id} class="note waits">
          <p class="broken">
            {t("invitations.text", { workspace: workspace_name, role: t(`role.${role}`) })}
          </p>
          <div class="actions">
            <Button
              class="button primary"
              text={t("invitations.accept")}
              disabled={busy.value}
              onClick={async () => await answer(id, "accept") && chooseWorkspace(workspace_id)}
            />
            <Button
              text={t("invitations.decline")}
              disabled={busy.value}
              onClick={() => answer(id, "decline")}
            />
          </div>
        </div>
      ))}
    </section>
  );
}
