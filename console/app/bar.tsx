import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Mark } from "../components/mark.tsx";
import { t } from "../strings/strings.ts";
import { AlertCount } from "./alerts.tsx";
import { Preferences, SignOutButton } from "./menu.tsx";
import { readPreference } from "./preferences_store.ts";
import { mayLeave } from "./leaving.ts";
import { PaletteButton } from "./palette_button.tsx";
import { href } from "./settings.ts";
import { workspace } from "./workspace.ts";
import { chooseWorkspace } from "./workspace_choice.ts";

const PLACES = [
  { place: "funil/", name: "nav.funnel" },
  { place: "chaves/", name: "nav.keys" },
  { place: "webhooks/", name: "nav.webhooks" },
  { place: "atividade/", name: "nav.activity" },
  { place: "conta/", name: "nav.account" },
] as const;

/** The bar at the top: workspace, pages and personal menu. On a phone, pages and menu are in a dialog. */
export function Bar({ place }: { place: string }) {
  const folded = useSignal(false);
  const menuOpen = useSignal(false);
  const { url } = useLocation();
  useEffect(() => {
    folded.value = false;
  }, [url]);
  const member = workspace.value?.member;
  return (
    <header class="bar">
      <div class="bar-inside">
        <WorkspaceSwitch />
        <nav class="bar-places" aria-label={t("nav.label")}>
          <Places place={place} />
        </nav>
        <PaletteButton places={PLACES} />
        <button
          type="button"
          class="bar-button bar-person"
          popovertarget="menu"
          aria-label={member && `${t("app.menu")}: ${member.name}`}
        >
          {/* With a key, Preact replaces the element when the name arrives. A changed text would be a layout shift. */}
          <span key={member?.id} class="clipped">{member?.name.split(" ")[0] ?? t("app.menu")}</span>{" "}
          <span aria-hidden="true">▾</span>
        </button>
        <div
          id="menu"
          class="menu"
          popover="auto"
          onBeforeToggle={({ newState }) => menuOpen.value = newState === "open"}
        >
          {menuOpen.value && (
            <>
              <Preferences />
              <SignOutButton />
            </>
          )}
        </div>
        <button type="button" class="bar-button bar-fold" onClick={() => folded.value = true}>
          {t("app.menu")}
          <AlertCount />
        </button>
      </div>
      {folded.value && (
        <Dialog kind="sheet" title={t("app.menu")} onClose={() => folded.value = false}>
          <nav class="sheet-places" aria-label={t("nav.label")}>
            <Places place={place} />
          </nav>
          <Preferences />
          <div class="actions">
            <SignOutButton />
            <Button text={t("app.close")} onClick={() => folded.value = false} />
          </div>
        </Dialog>
      )}
    </header>
  );
}

function Places({ place }: { place: string }) {
  // The import page has no entry in the bar. People reach it from the funnel, so the funnel is marked as current.
  const shown = place === "importar/" ? "funil/" : place;
  return (
    <ul>
      {PLACES.map((known) => (
        <li key={known.place}>
          <a href={href(known.place)} aria-current={known.place === shown ? "page" : undefined}>
            {t(known.name)}
            <AlertCount place={known.place} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function WorkspaceSwitch() {
  const opened = workspace.value;
  const name = opened?.name ?? readPreference("workspace_name") ?? "";
  return (
    <div class="bar-workspace">
      <Mark />
      {opened && opened.workspaces.length > 1
        ? (
          <select
            class="bar-select"
            aria-label={t("menu.workspace")}
            value={opened.id}
            onChange={async ({ currentTarget }) => {
              const chosen = currentTarget.value;
              currentTarget.value = opened.id;
              if (await mayLeave()) chooseWorkspace(chosen);
            }}
          >
            {opened.workspaces.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </select>
        )
        : <strong class="clipped" title={name}>{name}</strong>}
    </div>
  );
}
