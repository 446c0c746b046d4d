import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../app/api.ts";
import { useResource } from "../../app/resource.ts";
import { href } from "../../app/settings.ts";
import type { Entry, Page as PageOf } from "../../app/types.ts";
import { useAction } from "../../app/use_action.ts";
import { FailureNote } from "../../components/failure_note.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { t } from "../../strings/strings.ts";
import { placeOf, sentenceOf } from "./sentence.ts";
import { Empty, Loaded } from "../../components/loaded.tsx";

const PATH = "app-v1-activity";

/** Who did what, newest first. */
export default function Activity() {
  const first = useResource<PageOf<Entry>>(PATH);
  return (
    <Page title={t("activity.title")} text={t("activity.text")}>
      <Loaded resource={first} rows={8}>
        {(page) => page.data.length === 0 ? <Empty text={t("activity.empty")} /> : <Entries first={page} />}
      </Loaded>
    </Page>
  );
}

/**
 * The first page and the older pages that were loaded. When the first page is read again, the older pages are dropped.
 */
function Entries({ first }: { first: PageOf<Entry> }) {
  const more = useSignal<PageOf<Entry>[]>([]);
  const { busy, failure, run } = useAction();
  useEffect(() => {
    more.value = [];
  }, [first]);
  const cursor = (more.value.at(-1) ?? first).meta.next_cursor;
  const show = () =>
    run(async () => {
      const next = await call<PageOf<Entry>>("GET", `${PATH}?cursor=${encodeURIComponent(cursor ?? "")}`);
      more.value = [...more.value, next];
    });
  return (
    <>
      <ul class="lines">
        {[first, ...more.value].flatMap(({ data }) => data).map((entry) => (
          <Line key={entry.id} entry={entry} />
        ))}
      </ul>
      {failure.value && <FailureNote failure={failure.value} />}
      {cursor !== null && (
        <div class="actions more">
          <button type="button" class="button" onClick={show} disabled={busy.value}>
            {t(busy.value ? "activity.loading" : "app.more")}
          </button>
        </div>
      )}
    </>
  );
}

function Line({ entry }: { entry: Entry }) {
  const place = placeOf(entry);
  return (
    <li class="line">
      <p class="broken">
        {sentenceOf(entry).map((part, index) => {
          if (typeof part === "string") return part;
          const isObject = part.name === entry.object.name;
          return place && isObject
            ? <a key={index} href={href(place.place, { id: place.id })}>{part.name}</a>
            : <strong key={index}>{part.name}</strong>;
        })}
      </p>
      <span class="small">
        <Moment at={entry.at} />
      </span>
    </li>
  );
}
