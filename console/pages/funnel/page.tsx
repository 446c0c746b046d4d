import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { type Failure, href, mayChange, now, useResource } from "../../app/mod.ts";
import { waitAfter } from "../../app/poll.ts";
import { usePolling } from "../../app/use_polling.ts";
import { Empty, FailureNote, Page, Select, Skeleton } from "../../components/mod.ts";
import { t } from "../../strings/strings.ts";
import { whenText } from "../webhooks/words.ts";
import { arrivals, type Places, placesOf } from "./arrivals.ts";
import { Board } from "./board.tsx";
import { Deal } from "./deal.tsx";
import type { Funnel as Reply } from "./records.ts";

/** Milliseconds between refreshes. A new lead must appear within 2 s, including the time of the request. */
const EVERY_MS = 1_500;
const NONE: ReadonlySet<string> = new Set();

export default function Funnel() {
  const { pipeline, negocio } = useLocation().query;
  return negocio ? <Deal key={negocio} id={negocio} pipeline={pipeline} /> : <Stages chosen={pipeline} />;
}

/** The stages of a pipeline with their deals, refreshed continuously. */
function Stages({ chosen }: { chosen: string | undefined }) {
  const { route } = useLocation();
  const path = chosen ? `app-v1-funnel?pipeline_id=${encodeURIComponent(chosen)}` : "app-v1-funnel";
  const funnel = useResource<Reply>(path);
  const failures = useRef(0);
  const wait = useSignal(EVERY_MS);

  const refresh = async () => {
    await funnel.reload();
    const failure = funnel.failure.peek();
    failures.current = failure === null ? 0 : failures.current + 1;
    wait.value = waitAfter(failures.current, EVERY_MS, failure?.retryAfter);
  };
  usePolling(refresh, () => wait.peek(), path);

  const { data, failure, waiting } = funnel;
  const read = data.value;
  const arrived = useArrivals(read);
  const pipelines = read?.pipelines ?? [];
  const choice = pipelines.length > 1 && (
    <Select
      label={t("funnel.pipeline")}
      value={read?.pipeline?.id ?? ""}
      options={pipelines.map(({ id, name }) => ({ value: id, text: name }))}
      onChange={({ currentTarget }) => route(href("funil/", { pipeline: currentTarget.value }), true)}
    />
  );
  return (
    <Page
      title={t("nav.funnel")}
      text={t("funnel.text")}
      action={
        <div class="actions">
          {choice}
          {mayChange.value && <a class="button" href={href("importar/")}>{t("nav.import")}</a>}
        </div>
      }
    >
      {read
        ? (
          <>
            <Freshness failure={failure.value} readAt={read.as_of} waitMs={wait.value} />
            {read.pipeline === null
              ? <Empty text={t("funnel.no_pipeline")} />
              : read.stages.every(({ deals_count }) => deals_count === 0)
              ? (
                <Empty text={t("funnel.empty")}>
                  <a class="button" href={href("chaves/")}>{t("funnel.empty_keys")}</a>
                </Empty>
              )
              : <Board name={read.pipeline.name} pipeline={chosen} stages={read.stages} arrived={arrived} />}
          </>
        )
        : failure.value
        ? <FailureNote failure={failure.value} onRetry={refresh} />
        : waiting.value && <Skeleton rows={6} />}
    </Page>
  );
}

/** The cards that arrived since the previous reply for the same pipeline. */
function useArrivals(reply: Reply | undefined): ReadonlySet<string> {
  const last = useRef<{ reply?: Reply; places: Places | null; arrived: ReadonlySet<string> }>({
    places: null,
    arrived: NONE,
  });
  if (reply && last.current.reply !== reply) {
    const same = last.current.reply?.pipeline?.id === reply.pipeline?.id;
    last.current = {
      reply,
      places: placesOf(reply.stages),
      arrived: arrivals(same ? last.current.places : null, reply.stages),
    };
  }
  return last.current.arrived;
}

/**
 * Says that the board refreshes by itself or, if refreshing fails, why and how old the shown board is. The text
 * always has one line, so that nothing below it moves.
 */
function Freshness({ failure, readAt, waitMs }: {
  failure: Failure | null;
  readAt: string;
  waitMs: number;
}) {
  const time = whenText(readAt, now.value);
  return (
    <p class={failure ? "freshness waits" : "freshness"} role="status">
      {failure === null
        ? t("funnel.fresh")
        : failure.kind === "away"
        ? t("funnel.away", { time })
        : t("funnel.slow", { time, seconds: Math.ceil(waitMs / 1000) })}
    </p>
  );
}
