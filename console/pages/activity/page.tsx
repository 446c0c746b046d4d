import { useLocation } from "preact-iso/router";
import { href, useResource } from "../../app/mod.ts";
import type { Entry, Page as PageOf } from "../../app/types.ts";
import { Lines } from "../../components/lines.tsx";
import { Empty, Loaded, Moment, Page } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { Events } from "./events.tsx";
import { sentenceOf } from "./sentence.ts";

const PATH = "app-v1-activity";
/** The pages that show an object of an entry, by its type. */
const PLACES: Record<string, string> = { key: "chaves/", webhook: "webhooks/" };

/** What people did, or the events, newest first. */
export default function Activity() {
  const shown = useLocation().query.ver === "eventos" ? "events" : "actions";
  return (
    <Page title={t("nav.activity")} text={t("activity.text")}>
      <nav class="views" aria-label={t("activity.views")}>
        {(["actions", "events"] as const).map((view) => (
          <a
            key={view}
            href={href("atividade/", { ver: view === "events" ? "eventos" : undefined })}
            aria-current={view === shown ? "page" : undefined}
          >
            {t(`activity.view_${view}`)}
          </a>
        ))}
      </nav>
      {shown === "events" ? <Events /> : <Actions />}
    </Page>
  );
}

/** The audit log: who did what. */
function Actions() {
  const first = useResource<PageOf<Entry>>(PATH);
  return (
    <Loaded resource={first} rows={8}>
      {(page) => (
        <Lines list={`${PATH}?`} first={page} none={() => <Empty text={t("activity.empty")} />}>
          {(entry: Entry) => <Line key={entry.id} entry={entry} />}
        </Lines>
      )}
    </Loaded>
  );
}

function Line({ entry }: { entry: Entry }) {
  const { object } = entry;
  const place = PLACES[object.type];
  return (
    <li>
      <p class="broken">
        {sentenceOf(entry).map((part, index) => {
          if (typeof part === "string") return part;
          return place && part.name === object.name
            ? <a key={index} href={href(place, { id: object.id })}>{part.name}</a>
            : <strong key={index}>{part.name}</strong>;
        })}
      </p>
      <p class="small">
        <Moment at={entry.at} exact />
      </p>
    </li>
  );
}
