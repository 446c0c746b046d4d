import { call, forgetWorkspace, useAction } from "../../app/mod.ts";
import type { Workspace } from "../../app/types.ts";
import { ask, Button, FailureNote } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";

export function LeaveWorkspace({ workspace: { name } }: { workspace: Workspace }) {
  const { busy, failure, run } = useAction();
  const leave = async () => {
    const sure = await ask({
      title: t("members.leave_title", { name }),
      text: <p>{t("members.leave_text")}</p>,
      yes: t("members.leave"),
      dangerous: true,
    });
    if (!sure) return;
    await run(async () => {
      await call("POST", "app-v1-members/leave");
      forgetWorkspace();
      // Reloads, because all data in memory belongs to the workspace that the person has left.
      location.reload();
    });
  };
  return (
    <section class="section">
      <div class="section-head">
        <h2>{t("members.leaving")}</h2>
        <Button
          class="button dangerous"
          text={t("members.leave")}
          aria-disabled={busy.value}
          onClick={leave}
        />
      </div>
      <p class="hint">{t("members.leave_text")}</p>
      {failure.value && <FailureNote failure={failure.value} />}
    </section>
  );
}
