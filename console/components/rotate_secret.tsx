import { useSignal } from "@preact/signals";
import { call } from "../app/api.ts";
import { t } from "../strings/strings.ts";
import { ActionDialog } from "./action_dialog.tsx";
import { Select } from "./field.tsx";

/** The choices for how many seconds the old secret stays valid beside the new one. */
const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;
type Overlap = typeof OVERLAPS[number];
/** The preselected choice, long enough for somebody to replace the secret in the other system. */
const USUAL_OVERLAP: Overlap = 86_400;

/** Replaces the secret of a key or a webhook; the person chooses for how long the old one stays valid. */
export function RotateSecret<Rotated>({ texts, path, replacing, onDone, onClose }: {
  /** Selects the texts: for the secret of a key or of a webhook. */
  texts: "keys" | "webhook";
  /** Path of the key or webhook below the functions' URL. */
  path: string;
  /** Whether the old secret of an earlier replacement is still valid; another replacement ends it at once. */
  replacing: boolean;
  onDone: (rotated: Rotated) => void;
  onClose: () => void;
}) {
  const overlap = useSignal<Overlap>(USUAL_OVERLAP);
  const meaning = overlap.value === 0
    ? t(`${texts}.overlap_none_text`)
    : t(`${texts}.overlap_text`, { overlap: t(`overlap.${overlap.value}`) });
  return (
    <ActionDialog
      title={t("secret.rotate")}
      yes={t("secret.rotate_yes")}
      dangerous={overlap.value === 0}
      hasSecret
      onClose={onClose}
      onSubmit={async () =>
        onDone(await call<Rotated>("POST", `${path}/rotate`, { body: { overlap_seconds: overlap.value } }))}
    >
      {texts === "keys" && <p>{t("keys.rotate_text")}</p>}
      <Select
        label={t(`${texts}.overlap`)}
        value={String(overlap.value)}
        onChange={({ currentTarget }) => overlap.value = Number(currentTarget.value) as Overlap}
        options={OVERLAPS.map((seconds) => ({ value: String(seconds), text: t(`overlap.${seconds}`) }))}
      />
      <p class={overlap.value === 0 ? "note failed" : "note"}>{meaning}</p>
      {replacing && <p class="note waits">{t(`${texts}.overlap_older`)}</p>}
    </ActionDialog>
  );
}
