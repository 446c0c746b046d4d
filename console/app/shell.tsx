import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { effect, useSignal } from "@preact/signals";
import { AlertBanner } from "./alerts.tsx";
import { Bar } from "./bar.tsx";
import { ChooseWorkspace, NoWorkspace } from "./choose_workspace.tsx";
import { loadOtherPages } from "./page_module.tsx";
import { keepPreference } from "./preferences_store.ts";
import { keepPlace } from "./return.ts";
import { useResource } from "./resource.ts";
import { forgetResources } from "./resource_cache.ts";
import { Questions } from "../components/ask.tsx";
import { Skeleton } from "../components/loaded.tsx";
import { t } from "../strings/strings.ts";
import type { Workspace } from "./types.ts";
import {
  openWorkspace,
  refreshWorkspace,
  settled,
  unreadable,
  workspace,
  WORKSPACE_PATH,
} from "./workspace.ts";
import { chosenWorkspace, mustChoose } from "./workspace_choice.ts";

const RETRY_MS = 3_000;

/** The bar and a page of the open workspace. Choosing another workspace mounts the page again. */
export function Shell({ place, children }: { place: string; children: ComponentChildren }) {
  const generation = useSignal(0);
  useEffect(() => {
    keepPlace(undefined);
    let chosen = chosenWorkspace.value;
    const stop = effect(() => {
      if (chosenWorkspace.value === chosen) return;
      chosen = chosenWorkspace.value;
      forgetResources();
      workspace.value = undefined;
      generation.value = generation.peek() + 1;
    });
    return () => {
      stop();
      // The next person to sign in must not see this workspace.
      workspace.value = undefined;
    };
  }, []);
  if (mustChoose.value) return <ChooseWorkspace />;
  return (
    <>
      <Opened key={generation.value} place={place}>{children}</Opened>
      {/* Inside the shell: if the session ends during a question, the question must not cover the sign-in page. */}
      <Questions />
    </>
  );
}

function Opened({ place, children }: { place: string; children: ComponentChildren }) {
  const { data, failure, waiting, reload } = useResource<Workspace>(WORKSPACE_PATH);
  const read = data.value;
  useEffect(() => {
    if (!read) return;
    openWorkspace(read);
    keepPreference("workspace_name", read.name);
  }, [read]);
  useEffect(() => {
    unreadable.value = failure.value !== null;
  }, [failure.value]);
  // If reading the workspace failed, read it again for the bar. The page shows its own failure, with a button.
  useEffect(() => {
    if (failure.value === null || failure.value.kind === "refused") return;
    const timer = setTimeout(reload, Math.max(failure.value.retryAfter * 1_000, RETRY_MS));
    return () => clearTimeout(timer);
  }, [failure.value]);
  // The other pages are loaded after this page, so that they do not slow it down.
  useEffect(() => {
    if (read) loadOtherPages();
  }, [read !== undefined]);
  // Refresh the alerts on navigation, because a banner that appears at that moment moves nothing that a person reads.
  useEffect(() => void refreshWorkspace(), [place]);
  if (failure.value?.code === "not_a_member") return <NoWorkspace onRetry={reload} />;
  return (
    <>
      <a class="skip" href="#content">{t("app.skip")}</a>
      <Bar place={place} />
      {settled.value ? <AlertBanner /> : (
        <div class="content">
          {waiting.value && <Skeleton rows={6} />}
        </div>
      )}
      {/* The page loads at once, but is shown together with the bar and banner above it, so that nothing moves. */}
      <main id="content" class="content" hidden={!settled.value}>
        {read?.suspended
          ? <p class="note waits">{t("workspace.suspended")}</p>
          : read && !read.public_api && <p class="note waits">{t("workspace.no_api")}</p>}
        {children}
      </main>
    </>
  );
}
