import type { Signal } from "@preact/signals";
import { t } from "../strings/strings.ts";
import { Select } from "./field.tsx";

/** Seconds for which an old secret can stay valid beside its successor. */
const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;
export type Overlap = typeof OVERLAPS[number];
/** Long enough for somebody to replace the secret in the other system. */
export const USUAL_OVERLAP: Overlap = 86_400;

/** The overlap in words, which end what `label` begins. */
export function overlapText(overlap: Overlap): string {
  return t(`overlap.${overlap}`);
}

/** For how long the old secret stays valid, and what the choice means. */
export function OverlapChoice({ overlap, label, meaning }: {
  overlap: Signal<Overlap>;
  label: string;
  meaning: string;
}) {
  return (
    <>
      <Select
        label={label}
        value={String(overlap.value)}
        onChange={({ currentTarget }) => overlap.value = Number(currentTarget.value) as Overlap}
        options={OVERLAPS.map((seconds) => ({ value: String(seconds), text: overlapText(seconds) }))}
      />
      <p class={overlap.value === 0 ? "note failed" : "note"}>{meaning}</p>
    </>
  );
}
