import { type Resource, useAction } from "../../app/mod.ts";
import { endOtherSessions } from "../../app/session.ts";
import type { PersonSession } from "../../app/types.ts";
import { ask, Button, FailureNote, Loaded, Moment, say, Table } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";

export const SESSIONS_PATH = "app-v1-workspace/sessions";

export function Sessions({ sessions }: { sessions: Resource<{ data: PersonSession[] }> }) {
  const { busy, failure, run } = useAction();
  const end = async () => {
    const sure = await ask({
      title: t("sessions.end_title"),
      text: <p>{t("sessions.end_text")}</p>,
      yes: t("sessions.end"),
      dangerous: true,
    });
    if (!sure) return;
    await run(async () => {
      await endOtherSessions();
      say(t("sessions.ended"));
      await sessions.reload();
    });
  };
  return (
    <section class="section">
      <header class="section-head">
        <h2>{t("sessions.title")}</h2>
        {/* Shown even if the list has one session, because the button also ends the sessions of apps. */}
        <Button text={t("sessions.end")} aria-disabled={busy.value} onClick={end} />
      </header>
      {failure.value && <FailureNote failure={failure.value} />}
      <Loaded resource={sessions}>
        {({ data }) => (
          <Table
            label={t("sessions.title")}
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              {
                title: t("sessions.where"),
                cell: ({ user_agent, ip, is_current }) => (
                  <div class="broken">
                    <strong title={user_agent ?? undefined}>{browserName(user_agent)}</strong>{" "}
                    {is_current && <span class="tag good">{t("sessions.this")}</span>}
                    <div class="small">{ip}</div>
                  </div>
                ),
              },
              { title: t("account.since"), cell: ({ created_at }) => <Moment at={created_at} /> },
              { title: t("sessions.used"), cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

/**
 * Describes a user agent: `Firefox, Windows`; for an unknown browser, the first name in it. The order of the patterns
 * matters, because most browsers also name other browsers.
 */
function browserName(agent: string | null): string {
  if (!agent) return t("sessions.unknown");
  const find = (names: [RegExp, string][]) => names.find(([part]) => part.test(agent))?.[1];
  const browser = find([
    [/Edg/, "Edge"],
    [/OPR/, "Opera"],
    [/SamsungBrowser/, "Samsung Internet"],
    [/Firefox|FxiOS/, "Firefox"],
    [/Chrome|CriOS/, "Chrome"],
    [/Safari/, "Safari"],
  ]);
  const system = find([
    [/iPhone/, "iPhone"],
    [/iPad/, "iPad"],
    [/Android/, "Android"],
    [/Windows/, "Windows"],
    [/Mac OS/, "macOS"],
    [/Linux/, "Linux"],
  ]);
  return [browser ?? agent.split(/[ /]/)[0], system].filter(Boolean).join(", ");
}
